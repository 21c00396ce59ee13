/** The error of unusable credentials names the kind of fault. It quotes neither the credentials nor a server. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { builtPlugin, PLUGIN_FORMS } from "../support/plugin";
import { ScriptedServer } from "../support/scripted-server";
import { casesHere } from "../support/test-all";
import { ASSOCIATION, GET_SCOPE } from "../support/tokens";
import { PluginClient, spawnPlugin, type CallError } from "./plugin-client";

/** A token that no pattern recognizes: only an error that quotes no text hides it. */
const CANARY = "canaryopaquetoken";

let folder: string;
let server: ScriptedServer;
let url: string;
/** What the server answers to every request. */
let answer: { status: number; type: string; body: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "perimeter-credentials-"));
  server = await ScriptedServer.start(() => ({
    status: answer.status,
    headers: { "content-type": answer.type },
    body: answer.body,
  }));
  url = server.url;
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});

const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const command = (name: string, script: string) => {
  const path = file(name, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
};
const external = (source: object, more: object = {}) =>
  JSON.stringify({
    type: "external_account",
    audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/p",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: `${url}/v1/token`,
    credential_source: source,
    ...more,
  });
const run = (script: string, more: object = {}) =>
  external({ executable: { command: command("source", script), timeout_millis: 5_000, ...more } });
const subject = () => external({ file: file("subject", CANARY) });
const json = (status: number, body: unknown) => ({ status, type: "application/json", body: JSON.stringify(body) });

/** The credentials, what the server answers, and the words of the error. */
const CASES: [what: string, credentials: () => string, answered: () => typeof answer, words: RegExp][] = [
  [
    "a file that holds a token",
    () => CANARY,
    () => json(500, {}),
    /the file that GOOGLE_APPLICATION_CREDENTIALS names is not JSON/,
  ],
  [
    "a file that is JSON up to its middle",
    () => `{"type":"authorized_user","refresh_token":"${CANARY}","client_secret":${CANARY}`,
    () => json(500, {}),
    /the file that GOOGLE_APPLICATION_CREDENTIALS names is not JSON/,
  ],
  [
    "a key without an e-mail address",
    () => JSON.stringify({ type: "service_account", private_key: CANARY }),
    () => json(500, {}),
    /they have no field client_email/,
  ],
  [
    "a key that is none",
    () => JSON.stringify({ type: "service_account", client_email: "a@b.c", private_key: CANARY }),
    () => json(500, {}),
    /their private key cannot be read/,
  ],
  ["a command that prints a token", () => run(`echo ${CANARY}`), () => json(500, {}), /not the JSON of a response/],
  [
    "a command that prints a token and fails",
    () => run(`echo ${CANARY}; echo ${CANARY} >&2; exit 7`),
    () => json(500, {}),
    /their command failed with code 7/,
  ],
  [
    "a command that reports a failure in words",
    () => run(`echo '{"version":1,"success":false,"code":"${CANARY}","message":"${CANARY}"}'`),
    () => json(500, {}),
    /their command reported a failure/,
  ],
  [
    "a command whose response lacks a field",
    () => run(`echo '{"success":true,"id_token":"${CANARY}"}'`),
    () => json(500, {}),
    /the response of their command has no valid field version/,
  ],
  [
    "an output file that holds a token",
    () => run("true", { output_file: file("output", CANARY) }),
    () => json(500, {}),
    /the output file of their command is not the JSON of a response/,
  ],
  [
    "a command that does not exist",
    () => external({ executable: { command: `/nowhere/${CANARY}`, timeout_millis: 5_000 } }),
    () => json(500, {}),
    /their command cannot be run/,
  ],
  [
    "a subject token's file that does not exist",
    () => external({ file: `/nowhere/${CANARY}` }),
    () => json(500, {}),
    /a file that they name does not exist/,
  ],
  [
    "an answer of the token endpoint that quotes the subject token",
    subject,
    () => json(400, { error: "invalid_grant", error_description: `Invalid JWT: ${CANARY}` }),
    /the server that the credentials name answered HTTP 400 \(invalid_grant\): the identity token of this workload is expired/,
  ],
  [
    "an answer of the token endpoint whose error is a token",
    subject,
    () => json(401, { error: CANARY, error_uri: CANARY }),
    /answered HTTP 401$/m,
  ],
  [
    "an API's error in the place of a token",
    subject,
    () => json(403, { error: { status: "PERMISSION_DENIED", message: CANARY, details: [{ reason: CANARY }] } }),
    /answered HTTP 403 \(PERMISSION_DENIED\)$/m,
  ],
  [
    "a page of the token endpoint that quotes the subject token",
    subject,
    () => ({ status: 502, type: "text/html", body: `<p>${CANARY}</p>` }),
    /answered HTTP 502$/m,
  ],
  [
    "an answer of the token endpoint that is text",
    subject,
    () => ({ status: 200, type: "text/plain", body: CANARY }),
    /a file or a response does not have the expected format/,
  ],
  [
    "a token with a line break",
    subject,
    () => json(200, { access_token: `${CANARY}\nx`, expires_in: 3600, token_type: "Bearer" }),
    /the one in the response has characters that a token cannot have/,
  ],
];

describe.each(PLUGIN_FORMS)("the plugin as %s", (form) => {
  /** One process for all cases: each Configure reads the file anew. */
  let plugin: PluginClient;
  beforeAll(async () => {
    // The default project is searched for at gcloud, which takes a second of processor time.
    command("gcloud", "exit 1");
    const started = await spawnPlugin(builtPlugin(form), [], {
      env: {
        PATH: [folder, process.env.PATH].join(delimiter),
        GOOGLE_APPLICATION_CREDENTIALS: join(folder, "credentials.json"),
        GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES: "1",
        HOME: folder,
      },
    });
    plugin = new PluginClient(started.port, async () => {
      started.process.kill("SIGINT");
      await started.ended;
    });
  });
  afterAll(() => plugin?.close());
  beforeEach(() => void plugin.answers.splice(0));

  // Texts of errors come from the runtime where a file, a command or a text cannot be read.
  const cases = casesHere(
    CASES,
    ([what]) => form === "the script for Node.js" || /file|JSON|exist|is text/.test(what),
    ([what]) => what,
  );

  test.each(cases)(
    "%s: the error has its kind, and nothing of its text",
    async (_what, credentials, answered, words) => {
      answer = answered();
      file("credentials.json", credentials());
      await plugin.configure({
        project: "p",
        gkeHubCustomEndpoint: `${url}/v1beta/`,
        sendCredentialsToLoopback: true,
        retry: { maxAttempts: 1 },
      });
      const error = await plugin.invoke(GET_SCOPE, { location: "global", scopeId: "team-a" }).then(
        () => {
          throw new Error("should have failed");
        },
        (thrown: unknown) => thrown as CallError,
      );
      expect(error.code).toBe("UNAUTHENTICATED");
      expect(error.message).toMatch(words);
      expect(plugin.answers.join()).not.toMatch(/canary/i);
    },
  );

  test("the error of a missing project has the kind of fault of the credentials, and nothing of their text", async () => {
    file("credentials.json", CANARY);
    await plugin.configure({});
    const missing = expect.stringMatching(
      /^project is required: .*, nor in the credentials: No usable Google Cloud credentials: the file that GOOGLE_APPLICATION_CREDENTIALS names is not JSON$/,
    );
    const association = {
      firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/edge",
      network: "projects/p/global/networks/prod",
      firewallEndpointAssociationId: "prod",
      location: "us-central1-a",
    };
    const checked = await plugin.check(ASSOCIATION, association);
    const looked = await plugin.invoke(GET_SCOPE, { location: "global", scopeId: "team-a" });
    expect([checked, looked].map(({ failures }) => failures.map(({ reason }) => reason))).toEqual([
      [missing],
      [missing],
    ]);
    expect(plugin.answers.join()).not.toMatch(/canary/i);
  });
});
