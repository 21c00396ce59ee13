import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startEmulator, type RequestRecord } from "../emulator";
import { EngineProject } from "../tests/support/engine";
import { JAVASCRIPT } from "../tests/support/programs";
import { compare } from "./framework/measure";
import { before, DYNAMIC, PLUGIN } from "./framework/names";
import { rows, type Bench } from "./framework/result";
import { nodeModulesOf, trees } from "./framework/trees";

/** How many requests do many lookups of few things make, and how many of them run at a time? */

/** Delay of each response, so that concurrent requests overlap. */
const LATENCY_MS = 50;

export const lookups: Bench = {
  name: "lookups",
  async run({ quick }) {
    const [count, distinct, rounds] = quick ? [50, 5, 1] : [500, 50, 3];
    const contenders = trees().flatMap((tree) => {
      const named = (name: string) => (tree.earlier ? before(name) : name);
      const options = { nodeModules: nodeModulesOf(tree), path: [tree.bin] };
      return [
        { name: named(PLUGIN), run: () => looked({ ...options, front: "plugin", count, distinct }) },
        { name: named(DYNAMIC), run: () => looked({ ...options, front: "dynamic", count, distinct }) },
      ];
    });
    const measured = await compare(contenders, rounds);
    return {
      title: `\`pulumi up\` of a program with ${count} lookups, of which ${distinct} are distinct`,
      tables: [
        {
          of: "front",
          columns: [
            { key: "requests", title: "requests" },
            { key: "atATime", title: "most at a time" },
            { key: "seconds", title: "s", digits: 1 },
          ],
          rows: rows(measured, Object.fromEntries([PLUGIN, DYNAMIC].map((name) => [name, `${distinct} requests`]))),
        },
      ],
      plots: [],
      notes: [`Each answer takes ${LATENCY_MS} ms.`],
    };
  },
};

interface Case {
  nodeModules: string;
  path: string[];
  front: "plugin" | "dynamic";
  count: number;
  distinct: number;
}

async function looked({ nodeModules, path, front, count, distinct }: Case): Promise<Record<string, number>> {
  const emulator = await startEmulator({
    seed: Array.from({ length: distinct }, (_, at) => ({
      service: "gkehub",
      name: `projects/bench/locations/global/scopes/s-${at}`,
    })),
    faults: [{ match: {}, times: 0, fault: { delayMs: LATENCY_MS } }],
  });
  const env = {
    ...emulator.env,
    BENCH_FRONT: front,
    BENCH_COUNT: String(count),
    BENCH_DISTINCT: String(distinct),
  };
  const program = { "index.js": readFileSync(join(__dirname, "programs", "lookups.cjs"), "utf8") };
  const project = await EngineProject.create({ program, nodeModules, path, env, runtime: JAVASCRIPT, name: "bench" });
  try {
    const began = performance.now();
    await project.run(["up", "--yes", "--skip-preview"]);
    const seconds = (performance.now() - began) / 1000;
    const { found } = await project.outputs();
    if (found !== count) throw new Error(`${String(found)} scopes were found instead of ${count}`);
    return { seconds, requests: emulator.requests().length, atATime: mostAtATime(emulator.requests()) };
  } finally {
    await project.dispose();
    await emulator.stop();
  }
}

/** Computed from the times of arrival: each request lasts as long as the delay of its response. */
function mostAtATime(requests: readonly RequestRecord[]): number {
  const arrivals = requests.map(({ time }) => Date.parse(time));
  return Math.max(0, ...arrivals.map((end) => arrivals.filter((at) => at <= end && at > end - LATENCY_MS).length));
}
