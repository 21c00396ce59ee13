/** The process: its arguments, its ends, and engines that attach to it. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb";
import { devDependencies } from "../../../package.json";
import { VERSION } from "../../../provider/version";
import { EngineLogServer } from "../../support/engine-log-server";
import { MIGRATION_JOB } from "../../support/programs";
import { builtPlugin, PLUGIN_FORMS } from "../../support/plugin";
import { ScriptedProxy } from "../../support/scripted-proxy";
import { ScriptedServer } from "../../support/scripted-server";
import { ASSOCIATION, GET_SCOPE, JOB_GRANT } from "../../support/tokens";
import { CallError, PluginClient, secret, spawnPlugin } from "../plugin-client";
import { LINK, grantInputs, linkInputs, emulator, engine, useCloud } from "./scene";

useCloud();

test("a call before Configure fails with a clear error", async () => {
  const plugin = await PluginClient.inProcess(undefined, {});
  await expect(plugin.check(ASSOCIATION, {})).rejects.toThrow("called before it was configured");
  await plugin.close();
});

test("an engine that attaches to a running plugin gets its messages", async () => {
  const plugin = await PluginClient.inProcess(undefined, emulator.env);
  await plugin.call<PluginAttach, Empty>(plugin.methods.attach, new PluginAttach().setAddress(engine.address));
  await plugin.configure({ project: "demo-project" });
  emulator.configure({ operationMs: 1_100 });
  await plugin.create(ASSOCIATION, linkInputs());
  expect(engine.lines.length).toBeGreaterThan(0);
  await plugin.close();
});

describe("a plugin that a person started (PULUMI_DEBUG_PROVIDERS)", () => {
  test("drops the declarations of the last run when the next run configures it", async () => {
    const plugin = await PluginClient.inProcess(undefined, emulator.env);
    const isGranted = () => JSON.stringify(emulator.resource(MIGRATION_JOB)?.policy).includes("user:ada@example.com");
    await plugin.configure({ project: "demo-project", grantMode: "merge" });
    const { inputs } = await plugin.check(JOB_GRANT, grantInputs());
    const made = { inputs, ...(await plugin.create(JOB_GRANT, inputs)) };
    await plugin.cancel();
    // In this run, a resource of another name declares the grant but is not created: a delete would be refused.
    await plugin.configure({ project: "demo-project", grantMode: "merge" });
    await plugin.check(JOB_GRANT, grantInputs(), "renamed");
    await expect(plugin.delete(JOB_GRANT, made.id, made)).rejects.toThrow("Kept this grant");
    await plugin.cancel();
    expect(isGranted()).toBe(true);
    // The program of the next run has neither resource.
    await plugin.configure({ project: "demo-project", grantMode: "merge" });
    await plugin.delete(JOB_GRANT, made.id, made);
    expect(isGranted()).toBe(false);
    await plugin.close();
  });

  test("sends once-only messages to each engine again", async () => {
    const other = await EngineLogServer.start();
    const plugin = await PluginClient.inProcess(undefined, emulator.env);
    for (const { address, lines } of [engine, other]) {
      lines.length = 0;
      await plugin.call<PluginAttach, Empty>(plugin.methods.attach, new PluginAttach().setAddress(address));
      for (let resource = 0; resource < 2; resource += 1) await plugin.diffConfig({ project: "a" }, { project: "b" });
      expect(lines).toEqual([expect.objectContaining({ message: expect.stringContaining("default project changes") })]);
    }
    await plugin.close();
    other.stop();
  });
});

describe.each(PLUGIN_FORMS)("the process of %s", (form) => {
  const built = () => builtPlugin(form);

  test.each([
    ["--help", /^usage: pulumi-resource-perimeter .*PULUMI_DEBUG_PROVIDERS=perimeter:PORT/s],
    ["-h", /^usage: /],
    ["--version", /^\d+\.\d+\.\d+\n$/],
  ])("answers %s and ends", (flag, said) => {
    // A plugin that does not end would serve calls, and the test would time out.
    expect(execFileSync(built(), [flag], { encoding: "utf8", timeout: 30_000 })).toMatch(said);
  });

  test.each([
    ["that engines pass", ["--logtostderr", "--logflow", "-v=9", "--tracing", "http://127.0.0.1:1"]],
    ["that nobody knows", ["-x", "--what=ever"]],
    ["that would be answered without an engine", ["--help", "--version"]],
  ])("serves its engine with flags %s", async (_what, flags) => {
    const { port, process: child, ended } = await spawnPlugin(built(), [...flags, engine.address]);
    const plugin = new PluginClient(port, () => Promise.resolve());
    await plugin.configure({ project: "demo-project" });
    await plugin.close();
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  test("ends when the engine that started it is gone", async () => {
    const { process: child, ended } = await spawnPlugin(built(), [engine.address]);
    child.stdin?.end();
    expect(await ended).toBe(0);
  });

  test.each([
    ["that nobody can write to", [] as string[], "ignore" as const],
    ["of a person who started it to debug", [], "pipe" as const],
  ])("continues with a stdin %s", async (_what, args, stdin) => {
    const all = stdin === "ignore" ? [engine.address, ...args] : args;
    const { port, process: child, ended } = await spawnPlugin(built(), all, { stdin });
    child.stdin?.end();
    // A plugin that ends with its stdin would end within this time, or fail the calls.
    await setTimeout(500);
    const plugin = new PluginClient(port, () => Promise.resolve());
    await plugin.configure({ project: "demo-project" });
    await plugin.close();
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  test("ends at once when the engine stops it, after answering the calls in flight", async () => {
    emulator.configure({ operationMs: 30 * 60_000 });
    const { port, process: child, ended } = await spawnPlugin(built(), [engine.address], { env: { ...emulator.env } });
    const plugin = new PluginClient(port, () => Promise.resolve());
    await plugin.configure({ project: "demo-project" });
    const creating = plugin.create(ASSOCIATION, linkInputs()).catch((error: unknown) => error as CallError);
    while (engine.lines.length === 0) await setTimeout(10);
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(await creating).toMatchObject({ notReady: { id: LINK } });
    await plugin.close();
  });

  test("reaches the cloud through the tunnel of a proxy", async () => {
    let heard = (_first: number | undefined) => {};
    const firstByte = new Promise<number | undefined>((resolve) => (heard = resolve));
    const proxy = await ScriptedProxy.start((data) => heard(data[0]));
    const env = { HTTPS_PROXY: proxy.url };
    const { port, process: child, ended } = await spawnPlugin(built(), [engine.address], { env });
    const plugin = new PluginClient(port, () => Promise.resolve());
    await plugin.configure({ project: "p", accessToken: secret("token") });
    const looking = plugin.invoke(GET_SCOPE, { location: "global", scopeId: "a" }).catch(() => undefined);
    // The first byte of TLS: a handshake.
    expect(await firstByte).toBe(0x16);
    expect(proxy.asked[0]).toMatch(/^CONNECT gkehub\.googleapis\.com:443 /);
    child.kill("SIGTERM");
    await ended;
    await looking;
    await plugin.close();
    proxy.stop();
  });

  test("names its runtime in its requests", async () => {
    const api = await ScriptedServer.start(() => ({ status: 404 }));
    const env = { PERIMETER_EMULATOR_HOST: api.host };
    const { port, process: child, ended } = await spawnPlugin(built(), [engine.address], { env });
    const plugin = new PluginClient(port, () => Promise.resolve());
    await plugin.configure({ project: "p" });
    const looking = plugin.invoke(GET_SCOPE, { location: "global", scopeId: "a" });
    await expect(looking).rejects.toThrow("Could not look up the fleet scope");
    const runtime = form === "the executable" ? `bun ${devDependencies.bun}` : `node ${process.versions.node}`;
    expect(api.requests.map(({ headers }) => headers["user-agent"])).toEqual([
      `pulumi-perimeter/${VERSION} (${runtime})`,
    ]);
    child.kill("SIGTERM");
    await ended;
    await plugin.close();
    await api.stop();
  });

  test("starts from another folder, without its cache of compiled code", async () => {
    const folder = mkdtempSync(join(tmpdir(), "perimeter-plugin-"));
    const copy = join(folder, "pulumi-resource-perimeter");
    copyFileSync(built(), copy);
    const { port, process: child, ended } = await spawnPlugin(copy, [engine.address]);
    expect(port).toBeGreaterThan(0);
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true });
  });
});
