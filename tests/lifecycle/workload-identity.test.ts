/**
 * Workload identity federation: credentials files of the type `external_account`. Their caller often may not read the project of
 * the pool (`resourcemanager.projects.get`), which a token does not need.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { builtPlugin, PLUGIN_FORMS } from "../support/plugin";
import { ScriptedServer } from "../support/scripted-server";
import { GET_SCOPE } from "../support/tokens";
import { PluginClient, spawnPlugin } from "./plugin-client";

let folder: string;
let server: ScriptedServer;
let url: string;

const SCOPE = "projects/p/locations/global/scopes/team-a";
const ANSWERS: Record<string, [status: number, body: unknown]> = {
  "GET /subject": [200, "subject-token"],
  "POST /v1/token": [200, { access_token: "federated", expires_in: 3600, token_type: "Bearer" }],
  "POST /v1/projects/-/serviceAccounts/target@p.iam.gserviceaccount.com:generateAccessToken": [
    200,
    { accessToken: "impersonated", expireTime: "2099-01-01T00:00:00Z" },
  ],
  [`GET /v1beta/${SCOPE}`]: [200, { name: SCOPE }],
  // The Resource Manager's own answer to a caller who may not read the project.
  "GET /v1/projects/1": [
    403,
    { error: { code: 403, message: "The caller does not have permission", status: "PERMISSION_DENIED" } },
  ],
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "perimeter-workload-"));
  // The search for a project must not find one in gcloud's configuration.
  writeFileSync(join(folder, "gcloud"), "#!/bin/sh\nexit 1\n");
  chmodSync(join(folder, "gcloud"), 0o755);
  writeFileSync(join(folder, "subject"), "subject-token");
  server = await ScriptedServer.start(({ route }) => {
    const [status, body] = ANSWERS[route] ?? [404, {}];
    return { status, body, ...(typeof body === "string" ? { headers: { "content-type": "text/plain" } } : {}) };
  });
  url = server.url;
});
beforeEach(() => void server.requests.splice(0));
/** `METHOD path` of each request, and its token. */
const asked = () => server.requests.map(({ route, headers }) => `${route} ${headers.authorization ?? ""}`.trim());
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const workload = (source: object, more: object = {}) => ({
  type: "external_account",
  audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/p",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: `${url}/v1/token`,
  cloud_resource_manager_url: `${url}/v1/projects/`,
  credential_source: source,
  ...more,
});
const impersonation = () => ({
  service_account_impersonation_url: `${url}/v1/projects/-/serviceAccounts/target@p.iam.gserviceaccount.com:generateAccessToken`,
});
const inFile = () => ({ file: join(folder, "subject") });

describe.each(PLUGIN_FORMS)("the plugin as %s", (form) => {
  let plugin: PluginClient;
  beforeAll(async () => {
    const started = await spawnPlugin(builtPlugin(form), [], {
      env: {
        PATH: [folder, process.env.PATH].join(delimiter),
        GOOGLE_APPLICATION_CREDENTIALS: join(folder, "credentials.json"),
        // Nothing listens there: this machine has no metadata server.
        GCE_METADATA_HOST: "127.0.0.1:9",
        HOME: folder,
      },
    });
    plugin = new PluginClient(started.port, async () => {
      started.process.kill("SIGINT");
      await started.ended;
    });
  });
  afterAll(() => plugin?.close());

  const lookUp = async (credentials: object, settings: object) => {
    writeFileSync(join(folder, "credentials.json"), JSON.stringify(credentials));
    const gkeHubCustomEndpoint = `${url}/v1beta/`;
    await plugin.configure({ gkeHubCustomEndpoint, sendCredentialsToLoopback: true, ...settings });
    return plugin.invoke(GET_SCOPE, { location: "global", scopeId: "team-a" });
  };

  test.each<[string, () => object, string[]]>([
    ["a file", () => workload(inFile()), ["POST /v1/token", `GET /v1beta/${SCOPE} Bearer federated`]],
    [
      "a URL",
      () => workload({ url: `${url}/subject` }),
      ["GET /subject", "POST /v1/token", `GET /v1beta/${SCOPE} Bearer federated`],
    ],
    [
      "a file, for a service account",
      () => workload(inFile(), impersonation()),
      [
        "POST /v1/token",
        "POST /v1/projects/-/serviceAccounts/target@p.iam.gserviceaccount.com:generateAccessToken Bearer federated",
        `GET /v1beta/${SCOPE} Bearer impersonated`,
      ],
    ],
  ])(
    "an identity from %s works if the caller may not read the pool's project",
    async (_what, credentials, requests) => {
      const { result } = await lookUp(credentials(), { project: "p" });
      expect(result.name).toBe(SCOPE);
      expect(asked()).toEqual(requests);
    },
  );

  test("a default project that cannot be read is missing, with the reason", async () => {
    const { failures } = await lookUp(workload(inFile()), {});
    expect(failures.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(
        /^project is required: .*, nor in the credentials: The credentials gave no project: the server that the credentials name answered HTTP 403 \(PERMISSION_DENIED\)/,
      ),
    ]);
    expect(asked().at(-1)).toBe("GET /v1/projects/1 Bearer federated");
  });
});
