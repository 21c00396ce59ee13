import { startEmulator, type Emulator } from "../../emulator";
import { EngineProject } from "../../tests/support/engine";
import { EngineError } from "../../tests/support/engine-run";
import { JAVASCRIPT } from "../../tests/support/programs";
import { fronts, type Front } from "./fronts";
import { compare, type Measured } from "./measure";
import { DYNAMIC, EXECUTABLE, PLUGIN } from "./names";
import { watchTree } from "./process-tree";
import type { BenchOptions } from "./result";

/**
 * `up` of a new stack and a preview of the unchanged one, for each front, on the real engine. One run answers several
 * questions (time, processor time, memory, bytes of state, requests), so it is measured once and its figures are shared.
 */

export const PARALLEL = 16;
const PROVIDERS = /pulumi-resource-(perimeter|benchpeer)|dynamic-provider/;
const LIMIT_MS = 1_200_000;

/** Goals for the time above the empty stack, for `up` and for a preview. */
export const TIME_GOALS = { [PLUGIN]: "1.05 × Go", [EXECUTABLE]: "1.05 × Go", [DYNAMIC]: "1.15 × Go" };

export interface Stacks {
  resources: number;
  measured: Map<string, Measured>;
}

let once: Promise<Stacks> | undefined;

export function stacks(options: BenchOptions): Promise<Stacks> {
  once ??= measure(options);
  return once;
}

async function measure({ quick }: BenchOptions): Promise<Stacks> {
  const [resources, rounds] = quick ? [20, 1] : [500, 3];
  console.error(`bench: stacks of ${resources} associations, ${rounds} rounds…`);
  const all = fronts();
  const contenders = all.map((front) => ({ name: front.name, run: () => runFront(front, resources) }));
  return { resources, measured: await compare(contenders, rounds) };
}

async function runFront(front: Front, resources: number): Promise<Record<string, number>> {
  const counter = { requests: 0 };
  // Operations are done when the create returns; the emulator counts requests in this process, for all fronts.
  const emulator = await startEmulator({ operationMs: 0, onRequest: () => void (counter.requests += 1) });
  const env = { ...emulator.env, ...front.env, BENCH_COUNT: String(resources) };
  const { program, nodeModules, path } = front;
  const project = await EngineProject.create({ program, nodeModules, path, env, runtime: JAVASCRIPT, name: "bench" });
  project.useMain(front.main);
  try {
    const up = await pulumi(project, ["up", "--yes", "--skip-preview"]);
    const made = front.empty ? 0 : resources;
    checkMade(emulator, made);
    const upRequests = counter.requests;
    const state = front.empty ? {} : await stateBytes(project, made);
    const preview = await pulumi(project, ["preview"]);
    if (!new RegExp(`\\b${made + 1} unchanged`).test(preview.stdout)) {
      throw new EngineError(preview.result, `should have found ${made + 1} resources unchanged`);
    }
    checkMade(emulator, made);
    return {
      up: up.seconds,
      ...optional({ upCpu: up.cpuSeconds, peak: front.empty ? undefined : up.peakMb, cli: up.cliMb }),
      ...(made > 0 && { requests: upRequests / made }),
      ...state,
      preview: preview.seconds,
      ...optional({ previewCpu: preview.cpuSeconds }),
      previewRequests: counter.requests - upRequests,
    };
  } finally {
    await project.dispose();
    await emulator.stop();
  }
}

/** One command, with the resource usage of all its processes. */
async function pulumi(project: EngineProject, args: string[]) {
  const running = project.start([...args, "--parallel", String(PARALLEL)]);
  const usage = watchTree(running.pid);
  const timer = setTimeout(() => running.kill("SIGKILL"), LIMIT_MS);
  const result = await running.done.finally(() => clearTimeout(timer));
  const used = usage();
  if (result.code !== 0) throw new EngineError(result, `failed with ${result.signal ?? `code ${result.code}`}`);
  return {
    result,
    stdout: result.stdout,
    seconds: result.milliseconds / 1000,
    cpuSeconds: used?.cpuSeconds,
    peakMb: used?.peakMb(PROVIDERS),
    cliMb: used?.peakMb(/\/pulumi /),
  };
}

/** Checks that exactly the expected work was done. */
function checkMade(emulator: Emulator, wanted: number): void {
  const made = emulator.resources().filter(({ name }) => name.includes("/firewallEndpointAssociations/"));
  const active = made.filter(({ body }) => body.state === "ACTIVE");
  if (active.length !== wanted || made.length !== wanted) {
    throw new Error(`the emulator has ${active.length} active of ${made.length} associations instead of ${wanted}`);
  }
}

/** Bytes of one association in the state, as compact JSON, with and without its stack trace. */
async function stateBytes(project: EngineProject, made: number): Promise<Record<string, number>> {
  const { deployment } = await project.exportState();
  const own = (deployment.resources ?? []).filter(({ urn }) => /::association-\d+$/.test(urn));
  if (own.length !== made) throw new Error(`the state has ${own.length} associations instead of ${made}`);
  const mean = (hidden: readonly string[]) => {
    const texts = own.map((each) =>
      JSON.stringify(each, (key, value: unknown) => (hidden.includes(key) ? undefined : value)),
    );
    return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / made;
  };
  return { state: mean([]), stateAlone: mean(["sourcePosition", "stackTrace"]) };
}

function optional(values: Record<string, number | undefined>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Record<
    string,
    number
  >;
}
