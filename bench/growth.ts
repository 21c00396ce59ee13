import { startEmulator } from "../emulator";
import { EngineLogServer } from "../tests/support/engine-log-server";
import { figure, type Measured } from "./framework/measure";
import { inLanes, PluginProcess } from "./framework/plugin-process";
import { associationInputs, plugins, type PluginFile } from "./framework/plugins";
import type { Bench, LinePlot, Row } from "./framework/result";
import { PARALLEL } from "./framework/stacks";
import { goPeerNotes } from "./peers/go-plugin";

/**
 * Do time and memory of the plugin grow in step with the number of resources? The plugin's process gets the calls of an
 * update from this process in place of an engine: an engine writes its whole state after each step, and so takes four
 * times as long for twice the resources, whatever the plugin does.
 */
const SIZES = [100, 300, 1_000, 3_000, 10_000];
const QUICK_SIZES = [20, 100];

export const growth: Bench = {
  name: "growth",
  async run({ quick }) {
    const sizes = quick ? QUICK_SIZES : SIZES;
    const files = plugins();
    const found = new Map<string, Row>();
    // Sizes in the outer loop: the plugins take turns.
    for (const size of sizes) {
      for (const plugin of files) {
        const name = `${plugin.name}: ${size}`;
        found.set(name, { name, figures: await grown(plugin, size) });
      }
    }
    const rowsOf = (plugin: PluginFile) => sizes.map((size) => found.get(`${plugin.name}: ${size}`) as Row);
    const lines = (name: string, title: string, y: string, key: string): LinePlot => ({
      kind: "lines",
      name,
      title,
      x: "associations",
      y,
      series: files.map((plugin) => ({
        name: plugin.name,
        points: rowsOf(plugin).flatMap(({ figures }, at): [number, number][] => {
          const value = figures[key]?.median;
          return value === undefined ? [] : [[sizes[at] as number, value]];
        }),
      })),
    });
    return {
      title: `Check and Create of more and more associations by one plugin process, ${PARALLEL} at a time`,
      tables: [
        {
          of: "plugin: associations",
          columns: [
            { key: "cpu", title: "processor s", digits: 2 },
            { key: "each", title: "processor ms for each", digits: 2 },
            { key: "seconds", title: "s", digits: 1 },
            { key: "peak", title: "most memory, MB" },
            { key: "requests", title: "requests for each", digits: 2 },
            { key: "logs", title: "calls to the engine for each", digits: 2 },
          ],
          rows: files.flatMap(rowsOf),
        },
      ],
      plots: [
        lines("growth-time", "Processor time of the plugin", "seconds", "cpu"),
        lines("growth-memory", "Most memory of the plugin", "MB", "peak"),
      ],
      notes: goPeerNotes(),
    };
  },
};

async function grown({ file, type }: PluginFile, size: number): Promise<Measured> {
  let requests = 0;
  const emulator = await startEmulator({ operationMs: 0, onRequest: () => void (requests += 1) });
  const engine = await EngineLogServer.start();
  const plugin = await PluginProcess.start(file, engine, { ...emulator.env });
  try {
    await plugin.configure({});
    const [began, before] = [performance.now(), plugin.cpuSeconds];
    await inLanes(size, PARALLEL, (at) => plugin.create(type, `association-${at}`, associationInputs(at)));
    const seconds = (performance.now() - began) / 1000;
    const made = emulator.resources().filter(({ body }) => body.state === "ACTIVE").length;
    if (made !== size) throw new Error(`the emulator has ${made} active associations instead of ${size}`);
    const [after, peak] = [plugin.cpuSeconds, plugin.memory?.peak];
    const cpu = before === undefined || after === undefined ? undefined : after - before;
    return {
      seconds: figure([seconds]),
      requests: figure([requests / size]),
      logs: figure([engine.lines.length / size]),
      ...(cpu !== undefined && { cpu: figure([cpu]), each: figure([(cpu / size) * 1000]) }),
      ...(peak !== undefined && { peak: figure([peak]) }),
    };
  } finally {
    await plugin.stop();
    engine.stop();
    await emulator.stop();
  }
}
