import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { bundles } from "../../tools/build-plugin";
import { builtPlugin } from "../support/plugin";
import { GET_SCOPE, JOB_GRANT } from "../support/tokens";
import { PluginClient, spawnPlugin } from "./plugin-client";

/** What the plugin loads at the start of each run, while the engine waits and later. `bench/startup.ts` has the times. */

const ROOT = join(__dirname, "../..");
const DIST = join(ROOT, "dist/provider/plugin");

/** Starts the plugin, configures it, and prints the modules that were loaded when the port was known and after Configure. */
const PROGRAM = `
  const { startPlugin } = require(${JSON.stringify(join(DIST, "server.js"))});
  const loaded = () => Object.keys(require.cache);
  startPlugin({ environment: {} }).then(async (plugin) => {
    const port = loaded();
    const { credentials } = require("@grpc/grpc-js");
    const { ResourceProviderClient } = require("@pulumi/pulumi/proto/provider_grpc_pb");
    const { ConfigureRequest } = require("@pulumi/pulumi/proto/provider_pb");
    const client = new ResourceProviderClient("127.0.0.1:" + plugin.port, credentials.createInsecure());
    client.configure(new ConfigureRequest(), (error) => {
      console.log(JSON.stringify({ port, configured: loaded() }));
      process.exit(error ? 1 : 0);
    });
  });
`;

function modulesLoaded(): { port: string[]; configured: string[] } {
  const output = execFileSync(process.execPath, ["-e", PROGRAM], { encoding: "utf8" });
  return JSON.parse(output) as { port: string[]; configured: string[] };
}

const packagesOf = (files: readonly string[]) =>
  [
    ...new Set(files.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(file)?.[1] ?? [])),
  ].sort();

const FOR_LATER = ["google-auth-library", "undici", "yaml", "zod"];

test("the plugin loads few modules before it prints its port, and neither services nor HTTP clients before Configure", () => {
  const { port, configured } = modulesLoaded();
  expect(packagesOf(port).filter((each) => FOR_LATER.includes(each))).toEqual([]);
  expect(packagesOf(configured).filter((each) => FOR_LATER.includes(each))).toEqual(["zod"]);
  expect([...port, ...configured].filter((file) => /provider\/(services|schema)\//.test(file))).toEqual([]);
});

describe("a plugin whose code cannot be loaded", () => {
  /** Runs a copy of the compiled plugin in which this module throws. */
  async function withBroken(module: string, act: (plugin: PluginClient) => Promise<void>): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "perimeter-broken-"));
    try {
      for (const each of ["provider", "require-node.cjs"]) {
        cpSync(join(ROOT, "dist", each), join(folder, "dist", each), { recursive: true });
      }
      cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
      symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
      writeFileSync(join(folder, "dist/provider/plugin", module), "throw new Error('this module is broken');");
      const main = join(folder, "dist/provider/plugin/main.js");
      const { port, process: child, ended } = await spawnPlugin(process.execPath, [main]);
      const plugin = new PluginClient(port, async () => {
        child.kill("SIGTERM");
        expect(await ended).toBe(0);
      });
      await act(plugin).finally(() => plugin.close());
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  const bug = expect.objectContaining({
    code: "INTERNAL",
    message: expect.stringMatching(/^Bug in the perimeter provider, please report it: Error: this module is broken/),
  });

  test("answers each call with the bug, and ends only when the engine stops it", async () => {
    await withBroken("engine-calls.js", async (plugin) => {
      await expect(plugin.configure()).rejects.toEqual(bug);
      await expect(plugin.cancel()).rejects.toEqual(bug);
      await expect(plugin.configure()).rejects.toEqual(bug);
    });
  });

  test("answers calls on resources with the bug if only their code cannot be loaded", async () => {
    await withBroken("resources.js", async (plugin) => {
      await plugin.configure();
      // The plugin tries to load the code a few milliseconds after it has answered.
      await setTimeout(100);
      await expect(plugin.check(JOB_GRANT, {})).rejects.toEqual(bug);
      await expect(plugin.invoke(GET_SCOPE, {})).rejects.toEqual(bug);
    });
  });
});

test("the plugin's script says that it has no commands, and ends", () => {
  for (const args of [["review", "--stack", "dev"], ["help"], ["emulator", "127.0.0.1:1"]]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [builtPlugin("the script for Node.js"), ...args], {
      encoding: "utf8",
      timeout: 20_000,
    });
    expect([status, stdout, stderr]).toEqual([
      1,
      "",
      `pulumi-resource-perimeter: the plugin's script for Node.js has no command ${args[0]}: install the command perimeter, and run perimeter ${args[0]}\n`,
    ]);
  }
}, 60_000);

test("the bundles are small, and the plugin's has no code of the command", async () => {
  const { plugin, command } = await bundles();
  expect(plugin.text.length).toBeLessThan(1_870_000);
  expect(plugin.sources.filter((file) => /^(access|cli|emulator|picture)\//.test(file))).toEqual([]);
  expect(command.text.length).toBeLessThan(2_500_000);
}, 60_000);
