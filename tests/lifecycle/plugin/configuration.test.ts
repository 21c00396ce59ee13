/** What the plugin says of itself, and its configuration. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { ROOT } from "../../../tools/run";
import { ASSOCIATION } from "../../support/tokens";
import { secret, type Props } from "../plugin-client";
import { NETWORK, linkInputs, engine, plugin, restart, describePlugin, failing, up } from "./scene";

describePlugin(() => {
  describe("says what it is", () => {
    test("what it accepts, and its version", async () => {
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

    test("the schema of the repository", async () => {
      const answer = await plugin.call<rpc.GetSchemaRequest, rpc.GetSchemaResponse>(
        plugin.methods.getSchema,
        new rpc.GetSchemaRequest(),
      );
      expect(JSON.parse(answer.getSchema())).toEqual(JSON.parse(readFileSync(join(ROOT, "schema.json"), "utf8")));
    });

    test("what it has not", async () => {
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
    test("every mistake at once, with its key, and no secret in it", async () => {
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

    test("with a password in a URL is refused, and neither the reason nor the property shows it", async () => {
      const news = { eventarcCustomEndpoint: "https://me:canary-41d7@host/v1/", emulatorHost: "me:canary-41d7@host:1" };
      const { failures } = await plugin.checkConfig(news);
      // With a property, the engine would print its value.
      expect(failures.map((each) => each.property)).toEqual(["", ""]);
      for (const { reason } of failures) expect(reason).toContain("without user and password");
      expect(JSON.stringify(failures)).not.toContain("canary");
      expect((await failing(plugin.configure(news))).message).not.toContain("canary");
    });

    test("comes back as it is, secrets marked, without a word of the environment", async () => {
      await restart({ GOOGLE_PROJECT: "from-environment", GOOGLE_OAUTH_ACCESS_TOKEN: "canary" });
      const news = { accessToken: "token-text", userProjectOverride: "true", version: "0.1.0", pluginDownloadURL: "x" };
      expect(await plugin.checkConfig(news)).toEqual({
        inputs: { ...news, accessToken: secret("token-text") },
        failures: [],
      });
    });

    test("is taken from the environment of the plugin where nothing else says", async () => {
      await restart({ GOOGLE_PROJECT: "from-environment" });
      await plugin.configure({});
      const { inputs } = await plugin.check(ASSOCIATION, linkInputs({ project: undefined }));
      expect(inputs.project).toBe("from-environment");
    });

    test("of the environment that is wrong fails before anything is done", async () => {
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
    ])("%s in it is a change of the provider that replaces nothing", async (_case, olds, news, detailed) => {
      const diff = await plugin.diffConfig(olds, news);
      const changes = Object.keys(detailed).length > 0 ? "DIFF_SOME" : "DIFF_NONE";
      expect(diff).toMatchObject({ detailed, changes, replaces: [], deleteBeforeReplace: false });
      expect(diff.diffs.sort()).toEqual(Object.keys(detailed).sort());
    });

    test("a new default project replaces exactly what took the old one", async () => {
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

    test("also arrives as an old engine sends it", async () => {
      const request = new rpc.ConfigureRequest();
      request.getVariablesMap().set("perimeter:config:project", "from-variables");
      await plugin.call<rpc.ConfigureRequest, unknown>(plugin.methods.configure, request);
      const { inputs } = await plugin.check(ASSOCIATION, linkInputs({ project: undefined }));
      expect(inputs.project).toBe("from-variables");
    });
  });
});
