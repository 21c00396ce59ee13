import { startEmulator } from "../emulator";
import { EngineLogServer } from "../tests/support/engine-log-server";
import { ASSOCIATION } from "../tests/support/tokens";
import { compare } from "./framework/measure";
import { PluginProcess } from "./framework/plugin-process";
import { associationInputs, plugins, type PluginFile } from "./framework/plugins";
import type { Bench, Row } from "./framework/result";

/** What does a create take beyond the time of the server's own operation, and how many polls and messages is that? */

/** Seconds of the operation. */
const DURATIONS = [0, 0.2, 1, 2, 5, 20];
const QUICK_DURATIONS = [0, 1];
/** The goal: at most the larger of the two over the operation's own time. */
const ALLOWED = { share: 0.05, ms: 250 };

export const waits: Bench = {
  name: "waits",
  async run({ quick }) {
    const durations = quick ? QUICK_DURATIONS : DURATIONS;
    const rounds = quick ? 1 : 5;
    const own = plugins().filter(({ type }) => type === ASSOCIATION);
    const contenders = durations.flatMap((seconds) =>
      own.map((plugin) => ({ name: `${plugin.name}: ${seconds} s`, run: () => waited(plugin, seconds * 1000) })),
    );
    const measured = await compare(contenders, rounds);
    const rows: Row[] = [...measured].map(([name, figures]) => ({ name, figures }));
    return {
      title: `One create whose operation takes a while, medians of ${rounds}`,
      tables: [
        {
          of: "plugin: operation",
          columns: [
            { key: "create", title: "create, ms" },
            { key: "over", title: "beyond the operation, ms" },
            { key: "allowed", title: `× allowed (${ALLOWED.share * 100} %, at least ${ALLOWED.ms} ms)`, digits: 2 },
            { key: "polls", title: "polls" },
            { key: "messages", title: "progress messages" },
          ],
          rows,
        },
      ],
      plots: [],
      notes: ["The rest of the create, two requests, is in the time beyond the operation."],
    };
  },
};

async function waited({ file, type }: PluginFile, operationMs: number): Promise<Record<string, number>> {
  const emulator = await startEmulator({ operationMs });
  const engine = await EngineLogServer.start();
  const plugin = await PluginProcess.start(file, engine, { ...emulator.env });
  try {
    await plugin.configure({});
    // Loads modules before the measurement, so that their loading time is not part of the wait.
    emulator.configure({ operationMs: 0 });
    await plugin.create(type, "first", associationInputs(0));
    emulator.configure({ operationMs });
    emulator.clearRequests();
    const messages = engine.lines.length;
    const began = performance.now();
    await plugin.create(type, "it", associationInputs(1));
    const create = performance.now() - began;
    const over = create - operationMs;
    const polls = emulator.requests().filter((each) => each.path.includes("/operations/")).length;
    if (polls === 0) throw new Error("the operation was never asked for");
    const allowed = over / Math.max(ALLOWED.ms, operationMs * ALLOWED.share);
    return { create, over, allowed, polls, messages: engine.lines.length - messages };
  } finally {
    await plugin.stop();
    engine.stop();
    await emulator.stop();
  }
}
