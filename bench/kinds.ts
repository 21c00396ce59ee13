import { startEmulator, type Emulator, type Seed } from "../emulator";
import { policyKinds } from "../provider/iam/kinds/kinds";
import type { Policy } from "../provider/iam/policy";
import { EngineProject } from "../tests/support/engine";
import { resourceOfKind } from "../tests/support/policy-kinds";
import { ANY_GRANT, STORE_GRANT } from "../tests/support/tokens";
import { compare, type Counts } from "./framework/measure";
import { PARALLEL, previewOf, runMeasured } from "./framework/measured-engine";
import { executableNotes } from "./framework/plugins";
import { rows, type Bench } from "./framework/table";
import { trees } from "./framework/trees";

/** What do grants on resources of many kinds take on the real engine, against as many grants on FHIR stores? */

const ROLE = "roles/viewer";
const STORES = "grants on FHIR stores";
const DATASET = "projects/bench/locations/us-central1/datasets/clinic";

/** Resources that exist, and the type and input of a grant on each of them. */
interface Subjects {
  type: string;
  seed: Seed[];
  inputs: Record<string, string>[];
}

export const kinds: Bench = {
  name: "kinds",
  async run(quick) {
    const [count, each, perResource, rounds] = quick ? [4, 2, 2, 1] : [20, 10, 5, 3];
    const any = onKinds(count, each);
    const stores = onStores(count * each);
    const way = (name: string, subjects: Subjects, bin: string) => ({
      name,
      run: () => granted(subjects, perResource, bin),
    });
    const [current, earlier] = trees();
    const bin = current.executable ?? current.bin;
    const ways = [way(STORES, stores, bin), way(`grants on ${count} kinds`, any, bin)];
    if (earlier) ways.push(way(earlier.named(STORES), stores, earlier.executable ?? earlier.bin));
    const toStores = { relativeTo: STORES };
    return {
      title:
        `${count * each * perResource} new grants on ${count * each} resources, with \`--parallel ${PARALLEL}\`, medians of ` +
        String(rounds),
      of: "grants",
      columns: [
        { key: "first", title: "preview of the new grants, s (×)", digits: 1, ...toStores },
        { key: "firstCpu", title: "processor s of it (×)", digits: 1, ...toStores },
        { key: "up", title: "`up`, s (×)", digits: 1, ...toStores },
        { key: "upCpu", title: "processor s of it (×)", digits: 1, ...toStores },
        { key: "preview", title: "preview without changes, s (×)", digits: 1, ...toStores },
        { key: "previewCpu", title: "processor s of it (×)", digits: 1, ...toStores },
        { key: "peak", title: "most memory of the provider, MB (×)", ...toStores },
        { key: "requests", title: "requests of preview and `up`" },
      ],
      rows: rows(await compare(ways, rounds)),
      notes: [
        "The program is in YAML, with the plugin without Node.js. In parentheses is the ratio to the FHIR stores.",
        ...executableNotes(),
      ],
    };
  },
};

/** Kinds of all parts of the table, with a number of resources each. */
function onKinds(count: number, each: number): Subjects {
  const all = policyKinds();
  const some = Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)]);
  const made = some.flatMap((kind) =>
    kind === undefined ? [] : Array.from({ length: each }, (_, at) => resourceOfKind(kind, `r${at}`)),
  );
  return {
    type: ANY_GRANT,
    seed: made.map(({ service, name }) => ({ service, name })) as Seed[],
    inputs: made.map(({ resource }) => ({ resource })),
  };
}

function onStores(count: number): Subjects {
  const names = Array.from({ length: count }, (_, at) => `${DATASET}/fhirStores/store-${at}`);
  return {
    type: STORE_GRANT,
    seed: names.map((name) => ({ service: "healthcare", name })),
    inputs: names.map((name) => ({ name })),
  };
}

async function granted({ type, seed, inputs }: Subjects, perResource: number, bin: string): Promise<Counts> {
  let requests = 0;
  const emulator = await startEmulator({ seed, anyRole: true, onRequest: () => void (requests += 1) });
  const grants = inputs.flatMap((input, at) =>
    Array.from({ length: perResource }, (_, member) => [
      `grant-${at}-${member}`,
      { type, properties: { ...input, role: ROLE, member: `user:u${member}@example.com` } },
    ]),
  );
  const resources = Object.fromEntries(grants) as object;
  const project = await EngineProject.create({
    program: { "Pulumi.yaml": JSON.stringify({ name: "bench", runtime: "yaml", resources }) },
    nodeModules: "none",
    path: [bin],
    env: emulator.env,
    config: { "perimeter:project": "bench", "perimeter:grantMode": "merge" },
  });
  try {
    const first = await runMeasured(project, ["preview"]);
    const up = await runMeasured(project, ["up", "--yes", "--skip-preview"]);
    const sent = requests;
    checkGranted(emulator, grants.length);
    const preview = await previewOf(project, grants.length, "unchanged");
    return {
      first: first.seconds,
      up: up.seconds,
      preview: preview.seconds,
      firstCpu: first.cpuSeconds,
      upCpu: up.cpuSeconds,
      previewCpu: preview.cpuSeconds,
      peak: up.peakMb,
      requests: sent,
    };
  } finally {
    await project.dispose();
    await emulator.stop();
  }
}

function checkGranted(emulator: Emulator, wanted: number): void {
  const bindings = emulator.resources().flatMap(({ policy }) => (policy as Policy | undefined)?.bindings ?? []);
  const made = bindings.flatMap(({ members }) => members ?? []).length;
  if (made !== wanted) throw new Error(`the policies have ${made} members instead of ${wanted}`);
}
