import { spawn } from "node:child_process";
import { EngineLogServer } from "../tests/support/engine-log-server";
import { compare, type Contender } from "./framework/measure";
import { EXECUTABLE, GO_PEER, PLUGIN } from "./framework/names";
import { PluginProcess } from "./framework/plugin-process";
import { associationInputs, executableNotes, plugins, type PluginFile } from "./framework/plugins";
import { bars, rows, type Bench } from "./framework/result";
import { goPeerNotes } from "./peers/go-plugin";

/** How long until a plugin answers Configure, and how much memory does it have then? Each command of Pulumi starts it. */

const NODE = "node -e 0";

export const startup: Bench = {
  name: "startup",
  async run({ quick }) {
    const rounds = quick ? 3 : 21;
    const engine = await EngineLogServer.start();
    try {
      const contenders: Contender[] = [
        { name: NODE, run: nodeAlone },
        { name: "the same again (noise)", run: nodeAlone },
        ...plugins().map((plugin) => ({ name: plugin.name, run: () => started(plugin, engine) })),
      ];
      // The first start of each reads its files from the disk, and loads what the measuring itself needs.
      await compare(contenders, 1);
      const measured = await compare(contenders, rounds);
      const all = rows(measured, { [PLUGIN]: "1.9 × node, 50 MB", [EXECUTABLE]: "1.4 × Go, 50 MB" });
      return {
        title: `Start of a plugin: ms from spawn, medians of ${rounds}`,
        tables: [
          {
            of: "what",
            columns: [
              { key: "port", title: "port known" },
              { key: "configured", title: "Configure answered" },
              { key: "configured", title: "× Go", digits: 2, relativeTo: GO_PEER },
              { key: "configured", title: "× node -e 0", digits: 2, relativeTo: NODE },
              { key: "check", title: "first Check", digits: 1 },
              { key: "cpu", title: "processor ms" },
              { key: "memory", title: "memory, MB" },
            ],
            rows: all,
          },
        ],
        plots: [bars("startup", "Spawn to Configure answered", "ms, median and spread", all, "configured")],
        notes: [
          "Processor time and resident memory are those when Configure is answered; the first Check comes after it.",
          ...goPeerNotes(),
          ...executableNotes(),
        ],
      };
    } finally {
      engine.stop();
    }
  },
};

async function nodeAlone(): Promise<Record<string, number>> {
  const began = performance.now();
  await new Promise((resolve, reject) => {
    spawn(process.execPath, ["-e", "0"], { env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined }, stdio: "ignore" })
      .once("error", reject)
      .once("exit", resolve);
  });
  return { configured: performance.now() - began };
}

async function started({ file, type }: PluginFile, engine: EngineLogServer): Promise<Record<string, number>> {
  const began = performance.now();
  const plugin = await PluginProcess.start(file, engine, { PERIMETER_EMULATOR_HOST: "127.0.0.1:1" });
  try {
    const port = performance.now() - began;
    await plugin.configure({});
    const configured = performance.now() - began;
    const [memory, cpu] = [plugin.memory?.now, plugin.cpuSeconds];
    const asked = performance.now();
    await plugin.check(type, "first", associationInputs(0));
    const check = performance.now() - asked;
    const counted = { ...(memory !== undefined && { memory }), ...(cpu !== undefined && { cpu: cpu * 1000 }) };
    return { port, configured, check, ...counted };
  } finally {
    await plugin.stop();
  }
}
