/** The plugin's description of itself, and its configuration. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { ROOT } from "../../../tools/run";
import { ASSOCIATION } from "../../support/tokens";
import { secret, type Props } from "../plugin-client";
import { VERSION } from "../../../provider/version";
import { NETWORK, linkInputs, engine, plugin, restart, describePlugin, failing, up } from "./scene";

describePlugin(() => {
  describe("the plugin's description", () => {
    test("has the supported features and the version", async () => {
      const { handshake, getPluginInfo } = plugin.methods;
      const accepts = await plugin.call<rpc.ProviderHandshakeRequest, rpc.ProviderHandshakeResponse>(
        handshake,
        new rpc.ProviderHandshakeRequest(),
      );
      expect(accepts.toObject()).toMatchObject({ acceptSecrets: true, acceptResources: true, acceptOutputs: true });
      const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
      const info = await plugin.call<Empty, PluginInfo>(getPluginInfo, new Empty());
      expect(info.getVersion()).toBe(version);
    });

    test("has the schema of the repository", async () => {
      const answer = await plugin.call<rpc.GetSchemaRequest, rpc.GetSchemaResponse>(
        plugin.methods.getSchema,
        new rpc.GetSchemaRequest(),
      );
      expect(JSON.parse(answer.getSchema())).toEqual(JSON.parse(readFileSync(join(ROOT, "sdk/schema.json"), "utf8")));
    });

    test("reports the methods that it lacks", async () => {
      const construct = plugin.call<rpc.ConstructRequest, unknown>(
        plugin.methods.construct,
        new rpc.ConstructRequest(),
      );
      expect(await failing(construct)).toMatchObject({
        code: "UNIMPLEMENTED",
        message: "The perimeter provider has no component resources",
      });
    });
  });

  describe("configuration", () => {
    test("says how to see the log of requests, because engines hide it", async () => {
      await restart({ PERIMETER_LOG: "debug" });
      engine.lines.length = 0;
      await plugin.configure({ project: "demo-project" });
      await plugin.configure({ project: "demo-project" });
      expect(engine.lines.map(({ message }) => message)).toEqual([
        "PERIMETER_LOG is set: Pulumi shows this log among the diagnostics with --debug, or on standard error with -v=3 --logtostderr",
      ]);
    });

    test.each([
      ["an older SDK is information", "0.0.9", "INFO", "Install an SDK of version"],
      ["a newer SDK is a warning", "v99.0.0", "WARNING", "Install version 99.0.0 of the plugin, or version"],
    ])("%s with both versions and a remedy", async (_name, version, severity, remedy) => {
      engine.lines.length = 0;
      await plugin.configure({ project: "demo-project", version });
      const asked = `The program's SDK requires version ${version.replace("v", "")} of this plugin, but the engine started version ${VERSION}`;
      expect(engine.lines).toEqual([
        expect.objectContaining({ severity, message: expect.stringContaining(asked) as string }),
      ]);
      expect(engine.lines[0]?.message).toContain(remedy);
    });

    test.each([
      ["the same version", { version: VERSION }],
      ["no version, as in YAML", {}],
    ])("an SDK of version %s gives no message", async (_name, more) => {
      engine.lines.length = 0;
      await plugin.configure({ project: "demo-project", ...more });
      expect(engine.lines).toEqual([]);
    });

    test("reports every mistake at once, with its key and without secrets", async () => {
      const { failures } = await plugin.checkConfig({
        projekt: "p",
        accessToken: 4711471147,
        userProjectOverride: "maybe",
        requestTimeout: "soon",
        retry: '{"maxAttempts":0}',
      });
      expect(failures.map((each) => each.property).sort()).toEqual([
        "",
        "",
        "projekt",
        "requestTimeout",
        "userProjectOverride",
      ]);
      const text = failures.map((each) => each.reason).join("\n");
      expect(text).toContain('perimeter:projekt is not a key of the configuration (did you mean "project"?)');
      expect(text).toContain('perimeter:userProjectOverride must be true or false, got "maybe"');
      expect(text).toContain("perimeter:accessToken must be a string");
      expect(text).not.toContain("4711471147");
    });

    test("with a password in a URL is refused without showing the password", async () => {
      const news = { eventarcCustomEndpoint: "https://me:canary-41d7@host/v1/", emulatorHost: "me:canary-41d7@host:1" };
      const { failures } = await plugin.checkConfig(news);
      // With a property, the engine would print its value.
      expect(failures.map((each) => each.property)).toEqual(["", ""]);
      for (const { reason } of failures) expect(reason).toContain("without user and password");
      expect(JSON.stringify(failures)).not.toContain("canary");
      expect((await failing(plugin.configure(news))).message).not.toContain("canary");
    });

    test("is returned unchanged, with marked secrets and without values of the environment", async () => {
      await restart({ GOOGLE_PROJECT: "from-environment", GOOGLE_OAUTH_ACCESS_TOKEN: "canary" });
      const news = { accessToken: "token-text", userProjectOverride: "true", version: "0.1.0", pluginDownloadURL: "x" };
      expect(await plugin.checkConfig(news)).toEqual({
        inputs: { ...news, accessToken: secret("token-text") },
        failures: [],
      });
    });

    test("is taken from the plugin's environment if it is not set elsewhere", async () => {
      await restart({ GOOGLE_PROJECT: "from-environment" });
      await plugin.configure({});
      const { inputs } = await plugin.check(ASSOCIATION, linkInputs({ project: undefined }));
      expect(inputs.project).toBe("from-environment");
    });

    test("with an invalid value in the environment fails before any request", async () => {
      await restart({ PERIMETER_GRANT_MODE: "add" });
      const error = await failing(plugin.configure({}));
      expect(error.code).toBe("INVALID_ARGUMENT");
      expect(error.message).toContain('PERIMETER_GRANT_MODE must be one of replace, merge, got "add"');
    });

    test.each<[string, Props, Props, Record<string, string>]>([
      ["nothing", { project: "a", version: "1" }, { project: "a", version: "1" }, {}],
      ["another spelling", { userProjectOverride: "true" }, { userProjectOverride: true }, {}],
      ["another project", { project: "a" }, { project: "b" }, { project: "UPDATE" }],
      ["a new key and one that goes", { zone: "z" }, { scopes: "[]" }, { zone: "DELETE", scopes: "ADD" }],
      ["another plugin", { version: "1" }, { version: "2" }, { version: "UPDATE" }],
    ])("%s changes the provider without a replacement", async (_case, olds, news, detailed) => {
      const diff = await plugin.diffConfig(olds, news);
      const changes = Object.keys(detailed).length > 0 ? "DIFF_SOME" : "DIFF_NONE";
      expect(diff).toMatchObject({ detailed, changes, replaces: [], deleteBeforeReplace: false });
      expect(diff.diffs.sort()).toEqual(Object.keys(detailed).sort());
    });

    test("a new default project replaces exactly the resources that used the old one", async () => {
      const [taker, giver] = [
        linkInputs({ project: undefined }),
        linkInputs({ project: "own-project", network: NETWORK.replace("main", "second") }),
      ];
      const [first, second] = [await up(ASSOCIATION, taker), await up(ASSOCIATION, giver)];
      await plugin.configure({ project: "other-project" });
      const diffs = [];
      for (const [prior, news] of [
        [first, taker],
        [second, giver],
      ] as const) {
        const { inputs } = await plugin.check(ASSOCIATION, news);
        diffs.push((await plugin.diff(ASSOCIATION, prior.id, prior, inputs)).detailed);
      }
      expect(diffs).toEqual([{ project: "UPDATE_REPLACE" }, {}]);
    });

    test("a new default project is announced, once", async () => {
      await restart();
      await plugin.diffConfig({ project: "a" }, { project: "b" });
      await plugin.diffConfig({ project: "a" }, { project: "b" });
      expect(engine.lines).toEqual([
        expect.objectContaining({ severity: "INFO", message: expect.stringContaining("default project changes") }),
      ]);
    });

    test("is also accepted in the form of an old engine", async () => {
      const request = new rpc.ConfigureRequest();
      request.getVariablesMap().set("perimeter:config:project", "from-variables");
      await plugin.call<rpc.ConfigureRequest, unknown>(plugin.methods.configure, request);
      const { inputs } = await plugin.check(ASSOCIATION, linkInputs({ project: undefined }));
      expect(inputs.project).toBe("from-variables");
    });
  });
});
