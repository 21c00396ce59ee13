import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { PluginAttach, PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { demoSeed, startEmulator, type Emulator } from "../../emulator";
import { EngineLogServer } from "../support/engine-log-server";
import { pluginFolder } from "../support/plugin";
import { ASSOCIATION, JOB_GRANT, STORE_GRANT } from "../support/tokens";
import {
  CallError,
  PluginClient,
  secret,
  spawnPlugin,
  UNKNOWN,
  urn,
  type Failure,
  type Prior,
  type Props,
} from "./plugin-client";

/**
 * The plugin as an engine sees it: every method, over gRPC, against the emulator; once with its server in this process,
 * and once as the executable that is shipped.
 */

const ROOT = resolve(__dirname, "../..");
const ENDPOINT = "organizations/1234/locations/us-central1-a/firewallEndpoints/edge";
const NETWORK = "projects/demo-project/global/networks/main";
const STORE = "projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records";
const JOB = "projects/demo-project/locations/us-central1/migrationJobs/orders-to-sql";
const LINK = "projects/demo-project/locations/us-central1-a/firewallEndpointAssociations/link";
const CANARY = "canary-person@example.com";

const linkInputs = (more: Props = {}): Props => ({
  firewallEndpoint: ENDPOINT,
  network: NETWORK,
  firewallEndpointAssociationId: "link",
  location: "us-central1-a",
  project: "demo-project",
  labels: { env: "dev" },
  ...more,
});
const grantInputs = (more: Props = {}): Props => ({
  name: JOB,
  role: "roles/datamigration.admin",
  member: "user:ada@example.com",
  ...more,
});

let emulator: Emulator;
let engine: EngineLogServer;
let built: string;

beforeAll(async () => {
  emulator = await startEmulator({ seed: demoSeed });
  engine = await EngineLogServer.start();
  built = join(pluginFolder(), "pulumi-resource-perimeter");
});

afterAll(async () => {
  engine.stop();
  await emulator.stop();
});

type Start = (environment?: Record<string, string>) => Promise<PluginClient>;

const fronts: [string, Start][] = [
  ["in process", (environment) => PluginClient.inProcess(engine.address, { ...emulator.env, ...environment })],
  [
    "as built",
    async (environment) => {
      const { port, process, ended } = await spawnPlugin(built, ["--logtostderr", "-v=9", engine.address], {
        env: { ...emulator.env, ...environment },
      });
      return new PluginClient(port, async () => {
        process.kill("SIGINT");
        await ended;
      });
    },
  ],
];

describe.each(fronts)("the plugin %s", (_name, start) => {
  let plugin: PluginClient;
  let environmentOfPlugin: Record<string, string> = {};

  /** One plugin serves all tests, as configured anew by each, unless a test wants another environment or run. */
  async function restart(environment: Record<string, string> = {}): Promise<void> {
    await plugin.close();
    plugin = await start(environment);
    environmentOfPlugin = environment;
  }

  beforeAll(async () => {
    plugin = await start();
  });

  beforeEach(async () => {
    if (Object.keys(environmentOfPlugin).length > 0) await restart();
    emulator.reset();
    emulator.clearRequests();
    engine.lines.length = 0;
    plugin.answers.length = 0;
    await plugin.configure({ project: "demo-project" });
  });

  afterAll(() => plugin.close());

  const failing = async (call: Promise<unknown>): Promise<CallError> => {
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof CallError)) throw new Error(`should have failed with a CallError, got ${String(error)}`);
    return error;
  };

  /** As `pulumi up` creates it. */
  async function up(type: string, news: Props): Promise<Prior & { id: string; inputs: Props }> {
    const { inputs, failures } = await plugin.check(type, news);
    expect(failures).toEqual([]);
    const { id, outputs } = await plugin.create(type, inputs);
    return { id, inputs, outputs };
  }

  /** The engine starts a plugin for each of its runs. */
  async function nextRun(): Promise<void> {
    await restart();
    await plugin.configure({ project: "demo-project" });
  }

  /** As `pulumi refresh` does: Read, then Diff of what the program last asked for against what was read. */
  async function refresh(type: string, prior: Prior & { id: string; inputs: Props }) {
    const live = await plugin.read(type, prior.id, prior);
    return live.id === "" ? undefined : { live, drift: await plugin.diff(type, live.id, live, prior.inputs) };
  }

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
      expect(text).toContain('perimeter:projekt is not a property of this type (did you mean "project"?)');
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

  describe("check", () => {
    test("every mistake of a resource with its path", async () => {
      const { failures } = await plugin.check(ASSOCIATION, {
        firewallEndpoint: "edge",
        labels: { Env: "dev", ok: "No Way" },
        locations: "us-central1-a",
        requestId: "1",
      });
      const byPath = Object.fromEntries(failures.map((each: Failure) => [each.reason.split(" ")[0], each.reason]));
      expect(Object.keys(byPath).sort()).toEqual(
        ["firewallEndpoint", "labels.Env", "labels.ok", "location", "locations", "network", "requestId"].sort(),
      );
      // The engine prints the value of a property that is named, so only those with a value of their own are.
      const named = failures.map((each: Failure) => each.property).filter((property) => property !== "");
      expect(named.sort()).toEqual(["firewallEndpoint", "locations", "requestId"]);
      expect(byPath.network).toMatch(/^network is required, and missing/);
      expect(byPath.locations).toContain('did you mean "location"?');
      expect(byPath.location).toContain("pulumi config set perimeter:zone");
    });

    test("defaults are filled in, names are brought to one form, unknowns and secrets stay what they are", async () => {
      const { inputs } = await plugin.check(ASSOCIATION, {
        firewallEndpoint: `https://networksecurity.googleapis.com/v1beta1/${ENDPOINT}`,
        network: secret(`//compute.googleapis.com/${NETWORK}`),
        location: UNKNOWN,
        labels: { plain: "a", hidden: secret("b"), later: secret(UNKNOWN) },
      });
      expect(inputs).toEqual({
        firewallEndpoint: ENDPOINT,
        network: secret(NETWORK),
        location: UNKNOWN,
        project: "demo-project",
        labels: { plain: "a", hidden: secret("b"), later: secret(UNKNOWN) },
      });
    });

    test("a name on another host is refused, with the right one", async () => {
      // Earlier runs had names of this project as secrets.
      await nextRun();
      const foreign = await plugin.check(STORE_GRANT, grantInputs({ name: `//evil.example/${STORE}` }));
      expect(foreign.failures.map(({ reason }) => reason)).toEqual([
        `name must have no host, or the one of a FHIR store, healthcare.googleapis.com, got "//evil.example/${STORE}"`,
      ]);
      const others = { name: `https://healthcare.googleapis.com/v1/${JOB}` };
      const { failures } = await plugin.check(JOB_GRANT, grantInputs(others));
      expect(failures.map(({ reason }) => reason)).toEqual([
        expect.stringMatching(
          /^name must have no host, or the one of a migration job, datamigration\.googleapis\.com, got/,
        ),
      ]);
      const network = `https://compute.evil.example/v1/${NETWORK}`;
      const linked = await plugin.check(ASSOCIATION, linkInputs({ network: secret(network) }));
      expect(linked.failures.map(({ reason }) => reason)).toEqual([
        "network must have no host, or the one of a network, compute.googleapis.com",
      ]);
      const id = `//evil.example/${STORE}/roles/viewer/user:ada@example.com`;
      await expect(plugin.read(STORE_GRANT, id)).rejects.toThrow("id must have no host, or healthcare.googleapis.com");
      expect(
        (await plugin.check(STORE_GRANT, grantInputs({ name: `//healthcare.googleapis.com/${STORE}` }))).inputs,
      ).toEqual(grantInputs({ name: STORE }));
    });

    test("what a URL or UTF-8 would change is no name and no text", async () => {
      const reasons = async (type: string, inputs: Props) =>
        (await plugin.check(type, inputs)).failures.map(({ reason }) => reason.split(",")[0]);
      expect(await reasons(ASSOCIATION, linkInputs({ project: "..", location: "." }))).toEqual([
        "location must be one part of a resource name",
        "project must be one part of a resource name",
      ]);
      expect(await reasons(JOB_GRANT, grantInputs({ name: JOB.replace("us-central1", "..") }))).toEqual([
        expect.stringMatching(/^name must be the name of a migration job/),
      ]);
      const condition = { title: "day\0", expression: "true" };
      expect(await reasons(JOB_GRANT, grantInputs({ condition, member: "user:ada\0@example.com" }))).toEqual([
        "condition.title must be text that can be sent: it has a NUL character",
        "member must be text that can be sent: it has a NUL character",
      ]);
    });

    test("a misspelled property of a nested object has a suggestion", async () => {
      const condition = { titel: "day", expresion: "true" };
      const { failures } = await plugin.check(JOB_GRANT, grantInputs({ condition }));
      const reasons = failures.map(({ reason }) => reason).join("\n");
      expect(reasons).toContain('condition.titel is not a property of this type (did you mean "title"?)');
      expect(reasons).toContain('condition.expresion is not a property of this type (did you mean "expression"?)');
      expect(failures.map(({ property }) => property)).toEqual(failures.map(() => ""));
    });

    test("a wrong secret is refused without being quoted", async () => {
      const { failures } = await plugin.check(JOB_GRANT, grantInputs({ member: secret("users:canary") }));
      // The engine would print the value of a property that is named.
      expect(failures).toEqual([{ property: "", reason: expect.stringMatching(/^member must be one of/) }]);
      expect(failures[0]?.reason).not.toContain("canary");
    });

    test("a file is no label", async () => {
      const asset = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", text: "x" };
      const { failures } = await plugin.check(ASSOCIATION, linkInputs({ labels: { env: asset } }));
      expect(failures).toEqual([
        {
          property: "",
          reason: "labels.env must be a plain value, got a file (an asset or archive)",
        },
      ]);
    });

    test("a resource in place of a name is its id", async () => {
      const network = {
        "4dabf18193072939515e22adb298388d": "5cf8f73096256a8f31e491e813e4eb8e",
        urn: "urn:pulumi:stack::project::gcp:compute/network:Network::main",
        id: NETWORK,
      };
      const { inputs } = await plugin.check(ASSOCIATION, linkInputs({ network }));
      expect(inputs.network).toBe(NETWORK);
    });

    test("a message of any size is taken", async () => {
      const { failures } = await plugin.check(ASSOCIATION, linkInputs({ labels: { env: "x".repeat(6_000_000) } }));
      expect(failures.map((each) => each.reason)).toEqual([
        expect.stringMatching(/^labels\.env must be a label value/),
      ]);
    });
  });

  describe("preview", () => {
    test("of a create: what is known, and no request", async () => {
      const { id, outputs } = await plugin.create(ASSOCIATION, linkInputs(), { preview: true });
      expect(id).toBe("");
      expect(outputs).toEqual({
        ...linkInputs(),
        name: LINK,
        createTime: UNKNOWN,
        updateTime: UNKNOWN,
        state: UNKNOWN,
        reconciling: UNKNOWN,
      });
      expect(emulator.requests()).toEqual([]);
    });

    test("unknown inputs are unknown outputs, and so is what depends on them", async () => {
      const inputs = linkInputs({ location: UNKNOWN, labels: { env: "dev", later: UNKNOWN } });
      const { outputs } = await plugin.create(ASSOCIATION, inputs, { preview: true });
      expect(outputs).toMatchObject({
        location: UNKNOWN,
        name: UNKNOWN,
        labels: { env: "dev", later: UNKNOWN },
        network: NETWORK,
      });
    });

    test("of a grant: its project follows from the name of the resource", async () => {
      const { outputs } = await plugin.create(JOB_GRANT, grantInputs(), { preview: true });
      expect(outputs).toEqual({ ...grantInputs(), project: "demo-project", etag: UNKNOWN });
      const unknown = await plugin.create(JOB_GRANT, grantInputs({ name: UNKNOWN }), { preview: true });
      expect(unknown.outputs.project).toBe(UNKNOWN);
      expect(emulator.requests().filter((each) => each.method !== "GET")).toEqual([]);
    });

    test("of an update: what cannot change stays", async () => {
      const prior = await up(ASSOCIATION, linkInputs());
      emulator.clearRequests();
      const news = linkInputs({ labels: { env: "prod" } });
      expect(await plugin.update(ASSOCIATION, prior.id, prior, news, { preview: true })).toEqual({
        ...news,
        name: LINK,
        createTime: prior.outputs.createTime,
        updateTime: UNKNOWN,
        state: UNKNOWN,
        reconciling: UNKNOWN,
      });
      expect(emulator.requests()).toEqual([]);
    });
  });

  describe("an association", () => {
    test("is created, changed and deleted", async () => {
      const prior = await up(ASSOCIATION, linkInputs());
      expect(prior.id).toBe(LINK);
      expect(prior.outputs).toMatchObject({ ...linkInputs(), name: LINK, state: "ACTIVE", reconciling: false });
      const news = linkInputs({ labels: { env: "prod", team: "a" } });
      const outputs = await plugin.update(ASSOCIATION, prior.id, prior, news);
      expect(outputs).toMatchObject({ labels: { env: "prod", team: "a" }, createTime: prior.outputs.createTime });
      await nextRun();
      await plugin.delete(ASSOCIATION, prior.id, { inputs: news, outputs });
      expect(emulator.resource(LINK)).toBeUndefined();
      await plugin.delete(ASSOCIATION, prior.id, { inputs: news, outputs });
    });

    test("that is created twice by a run that was killed in between sends one request id", async () => {
      await plugin.create(ASSOCIATION, linkInputs());
      await plugin.create(ASSOCIATION, linkInputs());
      const other = linkInputs({ firewallEndpointAssociationId: "other", location: "us-central1-b" });
      await plugin.create(ASSOCIATION, other, { name: "other" });
      const creates = emulator.requests().filter((each) => each.method === "POST");
      const [first, second, third] = creates.map((each) => each.query.requestId);
      expect(second).toBe(first);
      expect(third).not.toBe(first);
    });

    test.each<
      [string, Props, Record<string, string>, { replaces?: string[]; ignored?: string[]; sideBySide?: boolean }]
    >([
      ["nothing", {}, {}, {}],
      ["another spelling of the same network", { network: `//compute.googleapis.com/${NETWORK}` }, {}, {}],
      ["a request id", { requestId: "3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11" }, {}, {}],
      ["a label", { labels: { env: "prod" } }, { "labels.env": "UPDATE" }, {}],
      ["one more label", { labels: { env: "dev", "a.b": "c" } }, { 'labels["a.b"]': "ADD" }, {}],
      ["one label less", { labels: {} }, { labels: "DELETE" }, {}],
      ["no labels", { labels: undefined }, { labels: "DELETE" }, {}],
      ["an unknown label", { labels: { env: UNKNOWN } }, { "labels.env": "UPDATE" }, {}],
      ["an ignored label", { labels: { env: "prod" } }, {}, { ignored: ["labels.env"] }],
      ["everything ignored", { labels: { env: "prod" }, location: "us-central1-b" }, {}, { ignored: ["*"] }],
      [
        "a new policy",
        { tlsInspectionPolicy: "projects/p/locations/us-central1/tlsInspectionPolicies/t" },
        { tlsInspectionPolicy: "ADD" },
        {},
      ],
      [
        "another location",
        { location: "us-central1-b" },
        { location: "UPDATE_REPLACE" },
        { replaces: ["location"], sideBySide: true },
      ],
      [
        "another id in the same place",
        { firewallEndpointAssociationId: "two" },
        { firewallEndpointAssociationId: "UPDATE_REPLACE" },
        { replaces: ["firewallEndpointAssociationId"] },
      ],
      [
        "another project and a label",
        { project: "other", labels: { env: "prod" } },
        { project: "UPDATE_REPLACE", "labels.env": "UPDATE" },
        { replaces: ["project"] },
      ],
    ])("diff of %s", async (_case, change, detailed, { replaces = [], ignored = [], sideBySide = false }) => {
      const prior = await up(ASSOCIATION, linkInputs());
      const diff = await plugin.diff(ASSOCIATION, prior.id, prior, linkInputs(change), ignored);
      expect(diff.detailed).toEqual(detailed);
      const tops = [...new Set(Object.keys(detailed).map((path) => path.split(/[.[]/)[0] as string))];
      expect(diff.diffs.sort()).toEqual(tops.sort());
      // Also where the diff replaces nothing: a user may ask for it.
      expect(diff).toMatchObject({ replaces, deleteBeforeReplace: !sideBySide });
      expect(diff.changes).toBe(tops.length > 0 ? "DIFF_SOME" : "DIFF_NONE");
    });

    test("an ignored label that was changed outside is not put back by an update of something else", async () => {
      const prior = await up(ASSOCIATION, linkInputs());
      emulator.mutate(LINK, { patch: { labels: { env: "outside" } } });
      const live = await plugin.read(ASSOCIATION, prior.id, prior);
      const policy = "projects/p/locations/us-central1/tlsInspectionPolicies/t";
      const news = linkInputs({ tlsInspectionPolicy: policy });
      await plugin.update(ASSOCIATION, prior.id, live, news, { ignored: ["labels.env"] });
      expect(emulator.resource(LINK)?.body).toMatchObject({ labels: { env: "outside" }, tlsInspectionPolicy: policy });
    });

    test("refresh shows what was changed outside, and nothing else", async () => {
      const prior = await up(ASSOCIATION, linkInputs());
      expect((await refresh(ASSOCIATION, prior))?.drift.detailed).toEqual({});
      emulator.mutate(LINK, { patch: { labels: { env: "outside", extra: "x" } } });
      const { live, drift } = (await refresh(ASSOCIATION, prior)) ?? {};
      expect(live?.inputs).toEqual(linkInputs({ labels: { env: "outside", extra: "x" } }));
      expect(drift?.detailed).toEqual({ "labels.env": "UPDATE", "labels.extra": "DELETE" });
    });

    test("that was deleted outside is gone", async () => {
      const prior = await up(ASSOCIATION, linkInputs());
      emulator.remove(LINK);
      expect(await refresh(ASSOCIATION, prior)).toBeUndefined();
    });

    test.each([
      LINK,
      `//networksecurity.googleapis.com/${LINK}`,
      `https://networksecurity.googleapis.com/v1beta1/${LINK}`,
    ])("is imported by %s, and needs no change", async (id) => {
      await up(ASSOCIATION, linkInputs());
      const imported = await plugin.read(ASSOCIATION, id);
      expect(imported.id).toBe(LINK);
      expect(imported.inputs).toEqual(linkInputs());
      const { inputs, failures } = await plugin.check(ASSOCIATION, imported.inputs);
      expect(failures).toEqual([]);
      expect(await plugin.diff(ASSOCIATION, imported.id, imported, inputs)).toMatchObject({ changes: "DIFF_NONE" });
    });

    test("is not imported by an id of another form", async () => {
      const error = await failing(plugin.read(ASSOCIATION, "link"));
      expect(error.code).toBe("INVALID_ARGUMENT");
      expect(error.message).toContain(
        "must look like projects/{project}/locations/{location}/firewallEndpointAssociations/{firewallEndpointAssociationId}",
      );
    });

    test("that is not there cannot be imported", async () => {
      expect(await plugin.read(ASSOCIATION, LINK)).toEqual({ id: "", inputs: {}, outputs: {} });
    });
  });

  describe("a grant", () => {
    const conditional = {
      role: "roles/healthcare.fhirResourceReader",
      member: "user:eve@example.com",
      condition: { title: "until-july", expression: "request.time < timestamp('2026-07-01T00:00:00Z')" },
    };

    beforeEach(() => {
      const bindings = [
        { role: conditional.role, members: [conditional.member], condition: conditional.condition },
        { role: "roles/healthcare.fhirStoreAdmin", members: ["user:grace@example.com"] },
      ];
      emulator.mutate(STORE, { policy: { bindings } });
    });

    test.each([
      ["our own id", `${STORE}/roles/healthcare.fhirStoreAdmin/user:grace@example.com`],
      ["Terraform's form", `${STORE} roles/healthcare.fhirStoreAdmin user:grace@example.com`],
      [
        "the full resource name",
        `//healthcare.googleapis.com/${STORE} roles/healthcare.fhirStoreAdmin user:grace@example.com`,
      ],
    ])("is imported by %s, and needs no change", async (_form, id) => {
      const imported = await plugin.read(STORE_GRANT, id);
      expect(imported.id).toBe(`${STORE}/roles/healthcare.fhirStoreAdmin/user:grace@example.com`);
      expect(imported.inputs).toEqual({
        name: STORE,
        role: "roles/healthcare.fhirStoreAdmin",
        member: "user:grace@example.com",
      });
      expect(imported.outputs).toMatchObject({ ...imported.inputs, project: "demo-project" });
      const { inputs, failures } = await plugin.check(STORE_GRANT, imported.inputs);
      expect(failures).toEqual([]);
      expect(await plugin.diff(STORE_GRANT, imported.id, imported, inputs)).toMatchObject({ changes: "DIFF_NONE" });
    });

    test("with a condition is imported by the title of the condition", async () => {
      const { inputs } = await plugin.read(
        STORE_GRANT,
        `${STORE} ${conditional.role} ${conditional.member} until-july`,
      );
      expect(inputs).toEqual({ name: STORE, ...conditional });
    });

    test("that was taken away outside is gone", async () => {
      const prior = await up(JOB_GRANT, grantInputs());
      expect((await refresh(JOB_GRANT, prior))?.drift.detailed).toEqual({});
      emulator.mutate(JOB, { policy: { bindings: [] } });
      await nextRun();
      expect(await refresh(JOB_GRANT, prior)).toBeUndefined();
    });

    test.each(["role", "member", "name", "condition"])(
      "is replaced when its %s changes, the new one first",
      async (property) => {
        const prior = await up(JOB_GRANT, grantInputs());
        const other: Props = {
          role: "roles/datamigration.viewer",
          member: "user:bob@example.com",
          name: JOB.replace("orders", "users"),
          condition: conditional.condition,
        };
        const diff = await plugin.diff(JOB_GRANT, prior.id, prior, grantInputs({ [property]: other[property] }));
        expect(diff).toMatchObject({
          detailed: { [property]: property === "condition" ? "ADD_REPLACE" : "UPDATE_REPLACE" },
          replaces: [property],
          deleteBeforeReplace: false,
        });
      },
    );

    test("is deleted, and the rest of the policy stays", async () => {
      const imported = await plugin.read(STORE_GRANT, `${STORE} ${conditional.role} ${conditional.member} until-july`);
      await plugin.delete(STORE_GRANT, imported.id, imported);
      expect(emulator.resource(STORE)?.policy).toMatchObject({
        bindings: [{ role: "roles/healthcare.fhirStoreAdmin", members: ["user:grace@example.com"] }],
      });
    });
  });

  describe("secrets", () => {
    test("a secret input is secret in inputs and outputs, and so is what shows it", async () => {
      const news = linkInputs({
        network: secret(NETWORK),
        labels: { env: secret("canary") },
        project: secret("canary-project"),
      });
      const prior = await up(ASSOCIATION, news);
      expect(prior.inputs).toEqual(news);
      expect(prior.outputs).toMatchObject({
        network: secret(NETWORK),
        labels: { env: secret("canary") },
        project: secret("canary-project"),
        name: secret(LINK.replace("demo-project", "canary-project")),
        location: "us-central1-a",
      });
      expect(prior.id).toMatch(/^hidden-/);
    });

    test("of a preview are secret, too", async () => {
      const { outputs } = await plugin.create(
        ASSOCIATION,
        linkInputs({ project: secret("canary"), labels: secret(UNKNOWN) }),
        { preview: true },
      );
      expect(outputs).toMatchObject({
        project: secret("canary"),
        labels: secret(UNKNOWN),
        name: secret(LINK.replace("demo-project", "canary")),
      });
    });

    test("a grant to a secret member has an id that does not show it, by which it is read, replaced and deleted", async () => {
      const news = grantInputs({ member: secret(`user:${CANARY}`) });
      const prior = await up(JOB_GRANT, news);
      expect(prior.id).toMatch(/^hidden-[0-9a-f-]{36}$/);
      expect(prior.outputs.member).toEqual(secret(`user:${CANARY}`));
      const refreshed = await refresh(JOB_GRANT, prior);
      expect(refreshed?.live).toMatchObject({
        id: prior.id,
        inputs: news,
        outputs: { member: secret(`user:${CANARY}`) },
      });
      expect(refreshed?.drift.changes).toBe("DIFF_NONE");
      await nextRun();
      await plugin.delete(JOB_GRANT, prior.id, prior);
      expect(JSON.stringify(emulator.resource(JOB)?.policy ?? {})).not.toContain(CANARY);
    });

    test("two of them have two ids", async () => {
      const [first, second] = [
        await plugin.create(JOB_GRANT, grantInputs({ member: secret("user:one@example.com") })),
        await plugin.create(JOB_GRANT, grantInputs({ member: secret("user:one@example.com") }), { name: "two" }),
      ];
      expect(first.id).not.toBe(second.id);
    });

    test("the cloud's words about a secret member do not name it", async () => {
      emulator.configure({ unknownMembers: [`user:${CANARY}`] });
      const news = grantInputs({ member: secret(`user:${CANARY}`) });
      const error = await failing(plugin.create(JOB_GRANT, news, { timeout: 1 }));
      expect(error.message).toContain("[secret]");
      expect(plugin.answers.join()).not.toContain(CANARY);
      expect(JSON.stringify(engine.lines)).not.toContain(CANARY);
    });

    test("what the program no longer keeps secret is plain after the update", async () => {
      const prior = await up(ASSOCIATION, linkInputs({ labels: { env: secret("open") } }));
      const outputs = await plugin.update(
        ASSOCIATION,
        prior.id,
        prior,
        linkInputs({ labels: { env: "open", more: "x" } }),
      );
      expect(outputs.labels).toEqual({ env: "open", more: "x" });
    });
  });

  describe("states of other providers", () => {
    const foreign = { __provider: "exports.handler=…", __defaults: [], selfLink: "https://…", labels: { env: "dev" } };

    test("of the dynamic front: no difference, and nothing of it stays", async () => {
      const prior = await up(ASSOCIATION, linkInputs());
      const old = { outputs: { ...prior.outputs, ...foreign }, inputs: { ...linkInputs(), ...foreign } };
      expect(await plugin.diff(ASSOCIATION, LINK, old, linkInputs())).toMatchObject({ changes: "DIFF_NONE" });
      const read = await plugin.read(ASSOCIATION, LINK, old);
      expect(read.inputs).toEqual(linkInputs());
      expect(Object.keys(read.outputs).sort()).toEqual(Object.keys(prior.outputs).sort());
    });

    test("of google-native, which has fewer outputs: no difference", async () => {
      await up(ASSOCIATION, linkInputs());
      const old = { outputs: { firewallEndpoint: ENDPOINT, network: NETWORK, labels: { env: "dev" }, name: LINK } };
      expect(await plugin.diff(ASSOCIATION, LINK, old, linkInputs())).toMatchObject({ changes: "DIFF_NONE" });
    });

    test("of google-native's grants, with an id and outputs of another form", async () => {
      const inputs = grantInputs({ role: "roles/datamigration.viewer" });
      await up(JOB_GRANT, inputs);
      const old = { id: `${JOB}/whatever`, inputs, outputs: { ...inputs, bindings: [] } };
      expect(await plugin.diff(JOB_GRANT, old.id, old, inputs)).toMatchObject({ changes: "DIFF_NONE" });
      const read = await plugin.read(JOB_GRANT, old.id, old);
      expect(read).toMatchObject({ inputs, outputs: { project: "demo-project" } });
      await nextRun();
      await plugin.delete(JOB_GRANT, old.id, old);
      expect(JSON.stringify(emulator.resource(JOB)?.policy ?? {})).not.toContain("ada@example.com");
    });
  });

  describe("time", () => {
    /** Longer than any test runs: a call that ends earlier was ended by the plugin. */
    const LONG_MS = 30 * 60_000;
    /** Waits until the plugin has polled an operation so many times. */
    const polled = async (times = 1) => {
      const polls = () => emulator.requests().filter(({ path }) => path.includes("/operations/"));
      while (polls().length < times) await setTimeout(10);
    };

    test("a custom timeout ends the wait, and the next run waits for the same operation", async () => {
      emulator.configure({ operationMs: LONG_MS });
      const inputs = linkInputs({ labels: { env: secret("canary") } });
      // On a busy machine the create may not begin within the shortest timeout: then the test takes a longer one.
      let error = await failing(plugin.create(ASSOCIATION, inputs, { timeout: 2 }));
      for (let timeout = 4; !error.notReady && timeout < 60; timeout *= 2) {
        error = await failing(plugin.create(ASSOCIATION, inputs, { timeout }));
      }
      expect(error.notReady).toMatchObject({ id: LINK, properties: inputs });
      expect(error.notReady?.reasons.join()).toMatch(/Operation .* goes on in the cloud/);
      const prior = { outputs: error.notReady?.properties ?? {}, inputs };

      // A refresh must not make it look finished.
      emulator.clearRequests();
      const refreshing = failing(plugin.read(ASSOCIATION, LINK, prior));
      // A run that is cancelled in its first look fails with nothing learned; only after that does it wait.
      await polled(2);
      await plugin.cancel();
      expect((await refreshing).notReady).toMatchObject({ id: LINK, inputs, properties: prior.outputs });

      emulator.clearRequests();
      emulator.advance(LONG_MS);
      await plugin.configure({ project: "demo-project" });
      const outputs = await plugin.update(ASSOCIATION, LINK, prior, inputs);
      expect(outputs.state).toBe("ACTIVE");
      expect(emulator.requests().map((each) => each.method)).not.toContain("POST");
      expect(Object.keys(outputs).filter((name) => name.startsWith("__"))).toEqual([]);
    });

    test("what is kept of an interrupted create shows no secret project or location", async () => {
      emulator.configure({ operationMs: LONG_MS });
      const inputs = linkInputs({
        project: secret("hidden-project"),
        location: secret("us-east7-b"),
        network: "projects/host/global/networks/prod",
        firewallEndpoint: "organizations/1234/locations/us-east7-b/firewallEndpoints/edge",
      });
      const creating = failing(plugin.create(ASSOCIATION, inputs));
      await polled();
      await plugin.cancel();
      const { notReady } = await creating;
      const { firewallEndpoint: _, ...properties } = notReady?.properties ?? {};
      expect(properties.__pending).toEqual(secret({ verb: "create", operation: expect.stringMatching(/^operation-/) }));
      const [mark = ""] = Object.keys(secret(""));
      const plain = JSON.stringify({ ...notReady, properties }, (_key, value: Props | null) =>
        typeof value === "object" && value !== null && mark in value ? "[secret]" : value,
      );
      expect(plain).not.toMatch(/hidden-project|us-east7-b/);

      emulator.advance(LONG_MS);
      await plugin.configure({ project: "demo-project" });
      const prior = { outputs: notReady?.properties ?? {}, inputs };
      const outputs = await plugin.update(ASSOCIATION, notReady?.id ?? "", prior, inputs);
      expect(outputs).toMatchObject({ state: "ACTIVE" });
      expect(outputs).not.toHaveProperty("__pending");
    });

    test("cancel ends what is in flight, as often as it comes, and begins nothing until the next run", async () => {
      emulator.configure({ operationMs: LONG_MS });
      const creating = failing(plugin.create(ASSOCIATION, linkInputs()));
      await polled();
      await Promise.all([plugin.cancel(), plugin.cancel()]);
      expect((await creating).notReady?.id).toBe(LINK);
      emulator.configure({ operationMs: 0 });
      emulator.clearRequests();
      // An engine that is interrupted while resources are being declared still sends those that it has begun.
      const later = linkInputs({ firewallEndpointAssociationId: "later", location: "us-central1-b" });
      const scope = ["perimeter:fleet/v1beta:getScope", { location: "global", scopeId: "team-a" }] as const;
      expect(await failing(plugin.create(ASSOCIATION, later))).toMatchObject({ code: "CANCELLED" });
      expect(await failing(plugin.invoke(...scope))).toMatchObject({ code: "CANCELLED" });
      expect(emulator.requests()).toEqual([]);
      await plugin.configure({ project: "demo-project" });
      await plugin.create(ASSOCIATION, later);
    });

    test("a wait of more than a second is told beside the resource, on the line that is overwritten", async () => {
      emulator.configure({ operationMs: 1_100 });
      await plugin.create(ASSOCIATION, linkInputs());
      const line = { severity: "INFO", urn: urn(ASSOCIATION), ephemeral: true };
      expect(engine.lines[0]).toEqual({
        ...line,
        message: expect.stringMatching(/^creating: 1 s of at most/) as string,
      });
      expect(engine.lines.at(-1)).toEqual({ ...line, message: expect.stringMatching(/^done after \d+ s$/) as string });
    });

    test("a wait that nobody notices is not told", async () => {
      await plugin.create(ASSOCIATION, linkInputs());
      expect(engine.lines).toEqual([]);
    });
  });

  describe("lookups", () => {
    test("answer with every property", async () => {
      const { result } = await plugin.invoke("perimeter:fleet/v1beta:getScope", {
        location: "global",
        scopeId: secret("team-a"),
      });
      expect(result).toMatchObject({
        name: "projects/demo-project/locations/global/scopes/team-a",
        state: { code: "READY" },
        deleteTime: "",
      });
    });

    test("report every wrong argument with its name", async () => {
      const { failures } = await plugin.invoke("perimeter:eventing/v1:getTriggerIamPolicy", {
        location: "us central",
        optionsRequestedPolicyVersion: 2,
        trigger: "orders",
      });
      expect(failures.map((each) => each.property).sort()).toEqual([
        "location",
        "optionsRequestedPolicyVersion",
        "trigger",
        "triggerId",
      ]);
      expect(emulator.requests()).toEqual([]);
    });

    test("fail with the cloud's words and what was asked for", async () => {
      const error = await failing(
        plugin.invoke("perimeter:fleet/v1beta:getScope", { location: "global", scopeId: "nobody" }),
      );
      expect(error.code).toBe("NOT_FOUND");
      expect(error.message).toMatch(
        /^Could not look up the fleet scope projects\/demo-project\/locations\/global\/scopes\/nobody: NOT_FOUND:/,
      );
    });

    test("that do not exist are told from those that do", async () => {
      const error = await failing(plugin.invoke("perimeter:fleet/v1beta:getScopes", {}));
      expect(error.message).toContain('did you mean "perimeter:fleet/v1beta:getScope"?');
    });
  });
});

test("a call before Configure says so", async () => {
  const plugin = await PluginClient.inProcess(undefined, {});
  await expect(plugin.check(ASSOCIATION, {})).rejects.toThrow("called before it was configured");
  await plugin.close();
});

test("an engine that attaches to a running plugin gets its messages", async () => {
  const plugin = await PluginClient.inProcess(undefined, emulator.env);
  engine.lines.length = 0;
  await plugin.call<PluginAttach, Empty>(plugin.methods.attach, new PluginAttach().setAddress(engine.address));
  await plugin.configure({ project: "demo-project" });
  emulator.reset();
  emulator.configure({ operationMs: 1_100 });
  await plugin.create(ASSOCIATION, linkInputs());
  expect(engine.lines.length).toBeGreaterThan(0);
  await plugin.close();
});

describe("the process", () => {
  test.each([
    ["--help", /^usage: pulumi-resource-perimeter .*PULUMI_DEBUG_PROVIDERS=perimeter:PORT/s],
    ["-h", /^usage: /],
    ["--version", /^\d+\.\d+\.\d+\n$/],
  ])("answers %s and ends", (flag, said) => {
    // A plugin that does not end would serve, and the test would time out.
    expect(execFileSync(built, [flag], { encoding: "utf8", timeout: 30_000 })).toMatch(said);
  });

  test.each([
    ["that engines pass", ["--logtostderr", "--logflow", "-v=9", "--tracing", "http://127.0.0.1:1"]],
    ["that nobody knows", ["-x", "--what=ever"]],
    ["that would be answered without an engine", ["--help", "--version"]],
  ])("serves its engine with flags %s", async (_what, flags) => {
    const { port, process: child, ended } = await spawnPlugin(built, [...flags, engine.address]);
    const plugin = new PluginClient(port, () => Promise.resolve());
    await plugin.configure({ project: "demo-project" });
    await plugin.close();
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  test("ends when the engine that started it is gone", async () => {
    const { process: child, ended } = await spawnPlugin(built, [engine.address]);
    child.stdin?.end();
    expect(await ended).toBe(0);
  });

  test.each([
    ["that nobody can write to", [] as string[], "ignore" as const],
    ["of a person who started it to debug", [], "pipe" as const],
  ])("goes on with a stdin %s", async (_what, args, stdin) => {
    const all = stdin === "ignore" ? [engine.address, ...args] : args;
    const { port, process: child, ended } = await spawnPlugin(built, all, { stdin });
    child.stdin?.end();
    // One that ends at the end of its stdin does so within this time, or fails the calls.
    await setTimeout(500);
    const plugin = new PluginClient(port, () => Promise.resolve());
    await plugin.configure({ project: "demo-project" });
    await plugin.close();
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  test("ends at once when the engine is done with it, and answers what is in flight first", async () => {
    emulator.reset();
    emulator.configure({ operationMs: 30 * 60_000 });
    const { port, process: child, ended } = await spawnPlugin(built, [engine.address], { env: { ...emulator.env } });
    const plugin = new PluginClient(port, () => Promise.resolve());
    await plugin.configure({ project: "demo-project" });
    engine.lines.length = 0;
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
    const proxy = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (request) => {
        if (!String(request).startsWith("CONNECT gkehub.googleapis.com:443 ")) return heard(undefined);
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.once("data", (data) => heard(data[0]));
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const HTTPS_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { port, process: child, ended } = await spawnPlugin(built, [engine.address], { env: { HTTPS_PROXY } });
    const plugin = new PluginClient(port, () => Promise.resolve());
    await plugin.configure({ project: "p", accessToken: secret("token") });
    const looking = plugin
      .invoke("perimeter:fleet/v1beta:getScope", { location: "global", scopeId: "a" })
      .catch(() => undefined);
    // The first byte of TLS: a handshake.
    expect(await firstByte).toBe(0x16);
    child.kill("SIGTERM");
    await ended;
    await looking;
    await plugin.close();
    proxy.close();
  });

  test("starts without what was compiled for another Node", async () => {
    const folder = mkdtempSync(join(tmpdir(), "perimeter-plugin-"));
    const copy = join(folder, "pulumi-resource-perimeter");
    execFileSync("cp", [built, copy]);
    const { port, process: child, ended } = await spawnPlugin(copy, [engine.address]);
    expect(port).toBeGreaterThan(0);
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true });
  });
});
