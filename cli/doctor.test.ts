/** `perimeter doctor` in process, on the emulator; the programs that it looks for are scripts. */
import * as fs from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../emulator";
import { doctorResult, type DoctorResult, type Finding } from "../provider/doctor";
import { version as VERSION } from "../package.json";
import { run } from "./program";

const STORE = "projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records";
/** Must never be printed. */
const CANARY = "canary-0af3";

let emulator: Emulator;
let bin: string;
let home: string;
beforeAll(async () => {
  emulator = await startEmulator({ seed: demoSeed });
});
afterAll(() => emulator.stop());
beforeEach(() => {
  home = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "perimeter-doctor-")));
  bin = path.join(home, "bin");
  fs.mkdirSync(bin);
  emulator.configure({ deny: [], disabledServices: [], requireAuth: false, tokens: null });
});
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

/** A program that prints what `text` says for its arguments. */
function program(name: string, answers: Record<string, string> = {}): void {
  const cases = Object.entries(answers).map(([args, text]) => `'${args}'*) cat <<'EOF'\n${text}\nEOF\n;;`);
  fs.writeFileSync(path.join(bin, name), `#!/bin/sh\ncase "$*" in\n${cases.join("\n")}\n*) exit 1;;\nesac\n`, {
    mode: 0o755,
  });
}

function pulumi(version = "v3.250.0", more: Record<string, string> = {}): void {
  program("pulumi", { version, "plugin ls": "[]", ...more });
  program("pulumi-language-nodejs");
}

interface Ended {
  code: number;
  text: string;
  errors: string;
}

async function doctor(args: string[] = [], env: Record<string, string> = {}): Promise<Ended> {
  let [text, errors] = ["", ""];
  const code = await run(["node", "perimeter", "doctor", ...args], {
    load: createRequire(__filename),
    write: (more) => (text += more),
    writeError: (more) => (errors += more),
    screen: {},
    // `cat` is the system's.
    environment: { PATH: `${bin}:/usr/bin:/bin`, HOME: home, ...env },
  });
  return { code, text, errors };
}

const onEmulator = () => ({ ...emulator.env, GOOGLE_PROJECT: "demo-project" });

async function json(args: string[] = [], env: Record<string, string> = onEmulator()): Promise<DoctorResult> {
  const { code, text } = await doctor([...args, "--json"], env);
  const result = doctorResult.parse(JSON.parse(text));
  expect(result.exitCode).toBe(code);
  return result;
}

function findings(result: DoctorResult, check: Finding["check"]): Finding[] {
  return result.findings.filter((each) => each.check === check);
}
const finding = (result: DoctorResult, check: Finding["check"]) => findings(result, check)[0];

test("all that is there is told, with where it is from", async () => {
  pulumi();
  program("pulumi-resource-perimeter", { "--version": VERSION });
  const result = await json([STORE]);
  expect(result.exitCode).toBe(0);
  expect(finding(result, "node")).toMatchObject({ status: "ok", found: process.versions.node, needed: "20.19.0" });
  expect(finding(result, "pulumi")).toMatchObject({
    status: "ok",
    found: "3.250.0",
    needed: "3.142.0",
    path: `${bin}/pulumi`,
  });
  expect(finding(result, "language hosts")).toMatchObject({ hosts: { nodejs: `${bin}/pulumi-language-nodejs` } });
  expect(finding(result, "plugin")).toMatchObject({ status: "ok", found: VERSION, source: "PATH" });
  expect(finding(result, "configuration")).toMatchObject({
    settings: [
      { key: "project", source: "GOOGLE_PROJECT" },
      { key: "emulatorHost", source: "PERIMETER_EMULATOR_HOST" },
    ],
  });
  expect(finding(result, "credentials")).toMatchObject({
    status: "ok",
    message: expect.stringContaining("not needed"),
  });
  expect(finding(result, "project")).toMatchObject({ project: "demo-project", source: "GOOGLE_PROJECT" });
  expect(findings(result, "endpoint")).toHaveLength(6);
  expect(findings(result, "endpoint")[0]).toEqual({
    check: "endpoint",
    status: "ok",
    message: expect.stringMatching(/^apigateway: http.* answers$/),
    api: "apigateway",
    baseUrl: `${emulator.url}/v1beta/`,
    kind: "emulator",
    source: "PERIMETER_EMULATOR_HOST",
    authenticated: false,
  });
  const permissions = findings(result, "permissions");
  expect(permissions.map(({ status }) => status)).toEqual(Array(7).fill("ok"));
  expect(permissions.at(-1)).toMatchObject({ method: "testIamPermissions", resource: STORE });
});

test("a machine without anything: each line says what to do, and the exit code is 1", async () => {
  const { code, text } = await doctor([], emulator.env);
  expect(code).toBe(1);
  expect(text).toMatch(/ error +The Pulumi CLI is not on PATH\n +-> Install the Pulumi CLI 3\.142\.0 or newer/);
  expect(text).toMatch(/ warning +Project: none by default[^]*-> pulumi config set perimeter:project <project>/);
  expect(text).toMatch(/ skipped +healthcare: permissions are not checked without a project/);
  expect(text).toMatch(/\n1 error, \d warnings?\n$/);
});

test.each([
  ["v3.141.9", /3\.141\.9 .* is older than 3\.142\.0/],
  ["", /prints no version/],
])("a Pulumi CLI that says %p is not enough", async (version, message) => {
  pulumi(version);
  expect(finding(await json(), "pulumi")).toMatchObject({ status: "error", message: expect.stringMatching(message) });
});

test("a project whose language has no host, and that needs the plugin", async () => {
  pulumi();
  fs.writeFileSync(path.join(home, "Pulumi.yaml"), "name: p\nruntime: {name: python}\n");
  const before = process.cwd();
  try {
    process.chdir(home);
    const result = await json();
    expect(finding(result, "language hosts")).toMatchObject({
      status: "error",
      runtime: "python",
      message: expect.stringContaining("pulumi-language-python, which the project here needs"),
    });
    expect(finding(result, "plugin")).toMatchObject({
      status: "warning",
      remedy: expect.stringContaining(
        `pulumi plugin install resource perimeter ${VERSION} --server github://api.github.com/pulumi-perimeter/pulumi-perimeter`,
      ),
    });
  } finally {
    process.chdir(before);
  }
});

test("a plugin of another version, installed or on PATH", async () => {
  const installed = [{ name: "perimeter", kind: "resource", version: "0.0.9" }];
  pulumi("v3.250.0", { "plugin ls": JSON.stringify(installed) });
  expect(finding(await json(), "plugin")).toMatchObject({ status: "warning", source: "installed", found: "0.0.9" });
  program("pulumi-resource-perimeter", { "--version": "0.0.8" });
  expect(finding(await json(), "plugin")).toMatchObject({ status: "warning", source: "PATH", found: "0.0.8" });
  const ignoring = { ...onEmulator(), PULUMI_IGNORE_AMBIENT_PLUGINS: "true" };
  expect(finding(await json([], ignoring), "plugin")).toMatchObject({ source: "installed" });
});

describe("a stack", () => {
  const config = (values: Record<string, string>) =>
    JSON.stringify(Object.fromEntries(Object.entries(values).map(([key, value]) => [`perimeter:${key}`, { value }])));
  const endpoints = () =>
    Object.fromEntries(
      ["gkeHub", "eventarc", "apiGateway", "networkSecurity", "databaseMigrationService", "healthcare"].map((key) => [
        `${key}CustomEndpoint`,
        `${emulator.url}/v1/`,
      ]),
    );
  const secured = (more: Record<string, string>) => {
    const settings = { project: "demo-project", sendCredentialsToLoopback: "true", ...endpoints(), ...more };
    pulumi("v3.250.0", { "config --json --show-secrets --stack=dev": config(settings) });
  };

  test("gives the configuration; its token is used and never shown", async () => {
    secured({ accessToken: CANARY });
    emulator.configure({ requireAuth: true, tokens: [CANARY] });
    const { code, text } = await doctor(["--stack", "dev", "--json"]);
    const result = doctorResult.parse(JSON.parse(text));
    expect(code).toBe(0);
    expect(finding(result, "credentials")).toMatchObject({ source: "perimeter:accessToken", kind: "access_token" });
    expect(finding(result, "configuration")).toMatchObject({ stack: "dev" });
    expect(findings(result, "endpoint")[5]).toMatchObject({ kind: "custom", source: "networkSecurityCustomEndpoint" });
    expect(text).not.toContain(CANARY);
  });

  test("whose token the APIs refuse", async () => {
    secured({ accessToken: CANARY });
    emulator.configure({ requireAuth: true, tokens: ["another"] });
    const { code, text } = await doctor(["--stack", "dev"]);
    expect(code).toBe(1);
    expect(text.match(/ error +\w+: Could not list the locations/g)).toHaveLength(6);
    // Said once, below the last of them.
    expect(text.match(/-> The credentials are refused/g)).toHaveLength(1);
    expect(text).not.toContain(CANARY);
  });

  test.each([
    ["a text that is no token", { accessToken: `{"private_key": "${CANARY}"}` }, "perimeter:accessToken"],
    [
      "a key that cannot be used",
      { credentials: `{"private_key": "${CANARY}", "type": "service_account"}` },
      "service_account",
    ],
    ["a path of no file", { credentials: `/nowhere/${CANARY}` }, "perimeter:credentials"],
  ])("with %s", async (_what, settings, named) => {
    secured(settings);
    const { code, text } = await doctor(["--stack", "dev"]);
    expect(code).toBe(1);
    expect(text).toMatch(new RegExp(` error +Credentials: .*${named}`));
    expect(text).toContain("permissions are not checked without credentials");
    expect(text).not.toContain(CANARY);
  });

  test("with a wrong setting, or that is not there", async () => {
    secured({ grantMode: "mrege" });
    const wrong = await doctor(["--stack", "dev"]);
    expect(wrong.text).toMatch(/ error +The provider's configuration is wrong:\n +perimeter:grantMode must be one of/);
    expect(wrong.text).toMatch(/ skipped +Credentials: not checked/);
    pulumi();
    const missing = await doctor(["--stack", "dev"]);
    expect([missing.code, missing.text]).toEqual([1, expect.stringMatching(/ error +`pulumi config .*` failed/)]);
  });
});

test("an API that is not enabled, a permission that is missing, a name of nothing", async () => {
  pulumi();
  // On one port, the path of the locations is the same for all APIs of one version: what one refuses is not told apart.
  emulator.configure({
    disabledServices: ["gkehub", "eventarc", "apigateway", "networksecurity", "datamigration", "healthcare"],
  });
  const disabled = await json();
  expect(disabled.exitCode).toBe(0);
  expect(findings(disabled, "permissions").map(({ status }) => status)).toEqual(Array(6).fill("warning"));
  expect(finding(disabled, "permissions")?.message).toMatch(/^apigateway: .*\n +Enable .* for projects\/demo-project/);

  emulator.configure({ disabledServices: [], deny: ["healthcare.fhirStores.setIamPolicy"] });
  const result = await json([STORE, `${STORE}-2`]);
  const [denied, missing] = findings(result, "permissions").slice(-2);
  expect(denied).toMatchObject({
    status: "error",
    message: `the permission healthcare.fhirStores.setIamPolicy on ${STORE} is missing`,
  });
  expect(missing).toMatchObject({ status: "error", message: `${STORE}-2 does not exist` });

  const { code, errors } = await doctor(["projects/p"]);
  expect([code, errors]).toEqual([1, expect.stringContaining("must be the name of")]);
});

test("an emulator that does not run", async () => {
  pulumi();
  const { code, text } = await doctor([], { ...onEmulator(), PERIMETER_EMULATOR_HOST: "127.0.0.1:9" });
  expect(code).toBe(1);
  expect(text.match(/ error +\w+: http:\/\/127.0.0.1:9\/\S+ \(emulator,/g)).toHaveLength(6);
  expect(text.match(/-> Is the emulator running\?/g)).toHaveLength(1);
});

test("--help has an example of each command, and `version` what a report needs", async () => {
  const print = async (...args: string[]) => {
    let text = "";
    const code = await run(["node", "perimeter", ...args], {
      load: createRequire(__filename),
      write: (more) => (text += more),
    });
    return [code, text];
  };
  const [, help] = await print("--help");
  for (const command of ["emulator", "review", "access", "doctor", "version"]) {
    expect(help).toMatch(new RegExp(`^  npx pulumi-perimeter ${command}.* {3}`, "m"));
    expect(await print(command, "--help")).toEqual([0, expect.stringContaining(`Usage: perimeter ${command}`)]);
  }
  const schema = JSON.parse(fs.readFileSync(path.join(__dirname, "../schema.json"), "utf8")) as Record<string, object>;
  const count = (key: string) => Object.keys(schema[key] ?? {}).length;
  const versions = new RegExp(
    `pulumi-perimeter +${VERSION}\n.* ${count("resources")} resources, ${count("functions")} functions\n[^]*${process.versions.node}`,
  );
  expect(await print("version")).toEqual([0, expect.stringMatching(versions)]);
});
