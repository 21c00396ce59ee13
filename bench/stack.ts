import { startEmulator, type Emulator } from "../emulator";
import { EngineProject } from "../tests/support/engine";
import { JAVASCRIPT } from "../tests/support/programs";
import { fronts, type Front } from "./framework/fronts";
import { compare, type Counts } from "./framework/measure";
import { PARALLEL, previewOf, runMeasured } from "./framework/measured-engine";
import { EMPTY, GO_PEER } from "./framework/names";
import { rows, type Bench } from "./framework/table";
import { goPeerNotes } from "./peers/go-plugin";

/** What do a preview and `up` of a new stack and a preview of the unchanged one take, for each front, on the real engine? */

export const stack: Bench = {
  name: "stack",
  async run(quick) {
    const [resources, rounds] = quick ? [20, 1] : [500, 3];
    const contenders = fronts().map((front) => ({ name: front.name, run: () => runFront(front, resources) }));
    const toGo = { relativeTo: GO_PEER };
    return {
      title: `\`pulumi preview\` and \`pulumi up\` of ${resources} new associations, then \`pulumi preview\`, with \`--parallel ${PARALLEL}\`, medians of ${rounds}`,
      of: "front",
      columns: [
        { key: "new", title: "preview of the new ones, s (× Go)", digits: 1, above: EMPTY, ...toGo },
        { key: "newCpu", title: "processor s of it (× Go)", digits: 1, ...toGo },
        { key: "up", title: "`up`, s (× Go)", digits: 1, above: EMPTY, ...toGo },
        { key: "upCpu", title: "processor s of it (× Go)", digits: 1, ...toGo },
        { key: "preview", title: "preview of the unchanged ones, s (× Go)", digits: 1, above: EMPTY, ...toGo },
        { key: "previewCpu", title: "processor s of it (× Go)", digits: 1, ...toGo },
        { key: "peak", title: "most memory of the provider, MB (× Go)", ...toGo },
        { key: "state", title: "bytes of a resource in the state (× Go)", ...toGo },
        { key: "requests", title: "requests for each", digits: 2 },
      ],
      rows: rows(await compare(contenders, rounds)),
      notes: [
        "Seconds of `up` and previews are above those of an empty stack. The processor time is that of all processes but the " +
          "emulator's.",
        ...goPeerNotes(),
      ],
    };
  },
};

async function runFront(front: Front, resources: number): Promise<Counts> {
  const counter = { requests: 0 };
  // Operations are done when the create returns; the emulator counts requests in this process, for all fronts.
  const emulator = await startEmulator({ operationMs: 0, onRequest: () => void (counter.requests += 1) });
  const env = { ...emulator.env, ...front.env, BENCH_COUNT: String(resources) };
  const { program, nodeModules, path } = front;
  const project = await EngineProject.create({ program, nodeModules, path, env, runtime: JAVASCRIPT, name: "bench" });
  project.useMain(front.main);
  try {
    const made = front.empty ? 0 : resources;
    const created = await previewOf(project, made, "to create");
    checkMade(emulator, 0);
    counter.requests = 0;
    const up = await runMeasured(project, ["up", "--yes", "--skip-preview"]);
    checkMade(emulator, made);
    const upRequests = counter.requests;
    const state = front.empty ? {} : await stateBytes(project, made);
    const preview = await previewOf(project, made, "unchanged");
    checkMade(emulator, made);
    return {
      new: created.seconds,
      newCpu: created.cpuSeconds,
      up: up.seconds,
      upCpu: up.cpuSeconds,
      peak: front.empty ? undefined : up.peakMb,
      ...(made > 0 && { requests: upRequests / made }),
      ...state,
      preview: preview.seconds,
      previewCpu: preview.cpuSeconds,
    };
  } finally {
    await project.dispose();
    await emulator.stop();
  }
}

/** Checks that exactly the expected work was done. */
function checkMade(emulator: Emulator, wanted: number): void {
  const made = emulator.resources().filter(({ name }) => name.includes("/firewallEndpointAssociations/"));
  const active = made.filter(({ body }) => body.state === "ACTIVE");
  if (active.length !== wanted || made.length !== wanted) {
    throw new Error(`the emulator has ${active.length} active of ${made.length} associations instead of ${wanted}`);
  }
}

/** Bytes of one association in the state, as compact JSON. */
async function stateBytes(project: EngineProject, made: number): Promise<Record<string, number>> {
  const { deployment } = await project.exportState();
  const own = (deployment.resources ?? []).filter(({ urn }) => /::association-\d+$/.test(urn));
  if (own.length !== made) throw new Error(`the state has ${own.length} associations instead of ${made}`);
  return { state: own.reduce((sum, each) => sum + Buffer.byteLength(JSON.stringify(each)), 0) / made };
}
