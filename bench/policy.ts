import { startEmulator } from "../emulator";
import { EngineLogServer } from "../tests/support/engine-log-server";
import { ASSOCIATION, JOB_GRANT } from "../tests/support/tokens";
import { figure, type Measured } from "./framework/measure";
import { inLanes, PluginProcess } from "./framework/plugin-process";
import { plugins, type PluginFile } from "./framework/plugins";
import type { Bench, LinePlot, Row } from "./framework/result";

/**
 * What do many grants on one large policy take? The policy holds 500 principals at first. 1,000 grants more fill it to the
 * 1,500 that the API allows. Migration jobs, because they have no known quota of policy writes: so the bench measures work,
 * not waiting for quota.
 */
const JOB = "projects/bench/locations/us-central1/migrationJobs/orders";
const ROLE = "roles/viewer";
const FULL = { present: 500, sizes: [10, 100, 300, 1_000], lanes: [16, 1_000] };
const QUICK = { present: 50, sizes: [20, 100], lanes: [16, 100] };

export const policy: Bench = {
  name: "policy",
  async run({ quick }) {
    const { present, sizes, lanes } = quick ? QUICK : FULL;
    const files = plugins().filter(({ type }) => type === ASSOCIATION);
    const found: (Row & { line: string; grants: number })[] = [];
    for (const grants of sizes) {
      for (const atATime of lanes) {
        for (const plugin of files) {
          const line = `${plugin.name}, ${atATime} at a time`;
          const figures = await granted(plugin, { present, grants, atATime });
          found.push({ name: `${line}: ${grants}`, line, grants, figures });
        }
      }
    }
    const lines = [...new Set(found.map(({ line }) => line))];
    const plot = (name: string, title: string, y: string, key: string): LinePlot => ({
      kind: "lines",
      name,
      title,
      x: "grants",
      y,
      series: lines.map((line) => ({
        name: line,
        points: found
          .filter((each) => each.line === line)
          .flatMap(({ grants, figures }): [number, number][] => {
            const value = figures[key]?.median;
            return value === undefined ? [] : [[grants, value]];
          }),
      })),
    });
    return {
      title: `Grants on one policy that holds ${present} other principals`,
      tables: [
        {
          of: "plugin: grants",
          columns: [
            { key: "requests", title: "requests" },
            { key: "seconds", title: "s", digits: 2 },
            { key: "cpu", title: "processor s", digits: 2 },
            { key: "peak", title: "most memory, MB" },
          ],
          rows: lines.flatMap((line) =>
            found.filter((each) => each.line === line).map(({ name, figures }) => ({ name, figures })),
          ),
        },
      ],
      plots: [
        plot("policy-time", "Grants on one large policy", "seconds", "seconds"),
        plot("policy-requests", "Requests of grants on one large policy", "requests", "requests"),
      ],
      notes: ["The limit is one read and a write for each batch that the engine sends at a time."],
    };
  },
};

async function granted(
  { file }: PluginFile,
  { present, grants, atATime }: { present: number; grants: number; atATime: number },
): Promise<Measured> {
  const others = Array.from({ length: present }, (_, at) => `user:other${at}@example.com`);
  const emulator = await startEmulator({
    seed: [{ service: "datamigration", name: JOB, policy: { bindings: [{ role: ROLE, members: others }] } }],
  });
  const engine = await EngineLogServer.start();
  const plugin = await PluginProcess.start(file, engine, { ...emulator.env, PERIMETER_GRANT_MODE: "merge" });
  try {
    await plugin.configure({});
    const [began, before] = [performance.now(), plugin.cpuSeconds];
    await inLanes(grants, atATime, (at) =>
      plugin.create(JOB_GRANT, `grant-${at}`, { name: JOB, role: ROLE, member: `user:u${at}@example.com` }),
    );
    const seconds = (performance.now() - began) / 1000;
    const { bindings } = emulator.resource(JOB)?.policy as { bindings: { members: string[] }[] };
    const members = new Set(bindings.flatMap((binding) => binding.members));
    if (members.size !== present + grants) throw new Error(`${members.size} members instead of ${present + grants}`);
    const [after, peak] = [plugin.cpuSeconds, plugin.memory?.peak];
    return {
      seconds: figure([seconds]),
      requests: figure([emulator.requests().length]),
      ...(before !== undefined && after !== undefined && { cpu: figure([after - before]) }),
      ...(peak !== undefined && { peak: figure([peak]) }),
    };
  } finally {
    await plugin.stop();
    engine.stop();
    await emulator.stop();
  }
}
