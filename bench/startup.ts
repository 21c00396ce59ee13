import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { EngineLogServer } from "../tests/support/engine-log-server";
import { compare, type Contender, type Counts } from "./framework/measure";
import { GO_PEER } from "./framework/names";
import { associationInputs, executableNotes, plugins, startPlugin, type PluginFile } from "./framework/plugins";
import { usageOf } from "./framework/process-tree";
import { rows, type Bench } from "./framework/table";
import { goPeerNotes } from "./peers/go-plugin";

/** How long until a plugin answers Configure, and how much memory does it have then? Each command of Pulumi starts it. */

/** The executable contains this runtime. */
const BUN = join(__dirname, "../node_modules/.bin/bun");

export const startup: Bench = {
  name: "startup",
  async run(quick) {
    const rounds = quick ? 3 : 21;
    const engine = await EngineLogServer.start();
    try {
      const contenders: Contender[] = [
        { name: "Node.js alone", run: () => alone(process.execPath) },
        ...(existsSync(BUN) ? [{ name: "Bun alone", run: () => alone(BUN) }] : []),
        ...plugins().map((plugin) => ({ name: plugin.name, run: () => started(plugin, engine) })),
      ];
      // The first start of each reads its files from the disk, and loads what the measuring itself needs.
      await compare(contenders, 1);
      return {
        title: `Start of a plugin, from its spawn until it answers Configure, medians of ${rounds}`,
        of: "what",
        columns: [
          { key: "configured", title: "ms (× Go)", relativeTo: GO_PEER },
          { key: "cpu", title: "processor ms" },
          { key: "memory", title: "memory, MB (× Go)", relativeTo: GO_PEER },
          { key: "check", title: "first Check after it, ms", digits: 1 },
        ],
        rows: rows(await compare(contenders, rounds)),
        notes: [...goPeerNotes(), ...executableNotes()],
      };
    } finally {
      engine.stop();
    }
  },
};

/** A program that does nothing. */
async function alone(runtime: string): Promise<Record<string, number>> {
  const began = performance.now();
  await new Promise((resolve, reject) => {
    spawn(runtime, ["-e", "0"], { env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined }, stdio: "ignore" })
      .once("error", reject)
      .once("exit", resolve);
  });
  return { configured: performance.now() - began };
}

async function started(plugin: PluginFile, engine: EngineLogServer): Promise<Counts> {
  const began = performance.now();
  const { client, pid } = await startPlugin(plugin, engine, { PERIMETER_EMULATOR_HOST: "127.0.0.1:1" });
  try {
    const configured = performance.now() - began;
    const { memoryMb, cpuSeconds } = usageOf(pid);
    const asked = performance.now();
    await client.check(plugin.type, associationInputs(0), "first");
    const check = performance.now() - asked;
    return { configured, check, memory: memoryMb, cpu: cpuSeconds && cpuSeconds * 1000 };
  } finally {
    await client.close();
  }
}
