/** `perimeter doctor` in this process, on the emulator; scripts replace the programs that it searches for. */
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../emulator";
import { doctorResult, type DoctorResult, type Finding } from "./doctor/result";
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

/** A program that prints the result of `text` for its arguments. */
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

describe("on a machine with everything, it lists", () => {
  /** Of one run, which takes most of a second. */
  let result: DoctorResult | undefined;
  let programs: string;
  const all = async () => {
    if (result) return result;
    programs = bin;
    pulumi();
    program("pulumi-resource-perimeter", { "--version": VERSION });
    return (result = await json([STORE]));
  };

  test("the programs, with their versions and paths", async () => {
    const found = await all();
    expect(found.exitCode).toBe(0);
    expect(finding(found, "node")).toMatchObject({ status: "ok", found: process.versions.node, needed: "20.19.0" });
    const path = `${programs}/pulumi`;
    expect(finding(found, "pulumi")).toMatchObject({ status: "ok", found: "3.250.0", needed: "3.142.0", path });
    expect(finding(found, "language hosts")).toMatchObject({ hosts: { nodejs: `${path}-language-nodejs` } });
    expect(finding(found, "plugin")).toMatchObject({ status: "ok", found: VERSION, source: "PATH" });
  });

  test("the settings, credentials and project, with their sources", async () => {
    const found = await all();
    expect(finding(found, "configuration")).toMatchObject({
      settings: [
        { key: "project", source: "GOOGLE_PROJECT" },
        { key: "emulatorHost", source: "PERIMETER_EMULATOR_HOST" },
      ],
    });
    expect(finding(found, "credentials")).toMatchObject({
      status: "ok",
      message: expect.stringContaining("not needed"),
    });
    expect(finding(found, "project")).toMatchObject({ project: "demo-project", source: "GOOGLE_PROJECT" });
  });

  test("the address of each API", async () => {
    const endpoints = findings(await all(), "endpoint");
    expect(endpoints).toHaveLength(6);
    expect(endpoints[0]).toEqual({
      check: "endpoint",
      status: "ok",
      message: expect.stringMatching(/^apigateway: http.* answers$/),
      api: "apigateway",
      baseUrl: `${emulator.url}/v1beta/`,
      kind: "emulator",
      source: "PERIMETER_EMULATOR_HOST",
      authenticated: false,
    });
  });

  test("the permissions of each API, and those on the resource that is named", async () => {
    const permissions = findings(await all(), "permissions");
    expect(permissions.map(({ status }) => status)).toEqual(Array(7).fill("ok"));
    expect(permissions.at(-1)).toMatchObject({ method: "testIamPermissions", resource: STORE });
  });
});

test("on a machine without Pulumi and settings, each finding has a remedy and the exit code is 1", async () => {
  const { code, text } = await doctor([], emulator.env);
  expect(code).toBe(1);
  expect(text).toMatch(/ error +The Pulumi CLI is not on PATH\n +-> Install the Pulumi CLI 3\.142\.0 or newer/);
  expect(text).toMatch(/ warning +Project: there is no default[^]*-> pulumi config set perimeter:project <project>/);
  expect(text).toMatch(/ skipped +healthcare: permissions are not checked without a project/);
  expect(text).toMatch(/\n1 error, \d warnings?\n$/);
});

test("without the CLI, it checks the endpoints with the environment in place of the stack", async () => {
  const { code, text } = await doctor(["--stack", "dev"], onEmulator());
  expect(code).toBe(1);
  expect(text).toMatch(/ error +The Pulumi CLI is not on PATH\n +-> Install the Pulumi CLI 3\.142\.0 or newer/);
  const unwrapped = text.replace(/\s+/g, " ");
  expect(unwrapped).toContain(
    "skipped Configuration of the stack dev: not read without the Pulumi CLI. The checks below use only the environment. " +
      "Configuration of the environment: project (GOOGLE_PROJECT), emulatorHost (PERIMETER_EMULATOR_HOST)",
  );
  expect(unwrapped.match(/ ok \w+: http:\S+ \(emulator, PERIMETER_EMULATOR_HOST\) answers/g)).toHaveLength(6);
  expect(unwrapped.match(/ ok \w+: lists the locations of projects\/demo-project/g)).toHaveLength(6);
  expect(text).not.toMatch(/ENOENT|stack ls/);
  expect(text).toMatch(/\n1 error(, \d warnings?)?\n$/);
});

describe("on an emulator", () => {
  test("a project that the emulator does not have is an error, and its permissions are not checked", async () => {
    pulumi();
    const wrong = { ...onEmulator(), GOOGLE_PROJECT: "demo-projct" };
    const result = await json([], wrong);
    expect(finding(result, "project")).toMatchObject({
      status: "error",
      message:
        `Project: demo-projct (GOOGLE_PROJECT): the emulator at ${emulator.url} has no resources of this project; it has ` +
        "demo-project",
      remedy: expect.stringContaining("pulumi config set perimeter:project demo-project"),
    });
    expect(findings(result, "permissions").map(({ status }) => status)).toEqual(Array(6).fill("skipped"));
    expect(result.exitCode).toBe(1);
    expect((await doctor([], wrong)).text).toMatch(/\n1 error(, \d warnings?)?\n$/);
  });

  test("a project number of the emulator is accepted", async () => {
    pulumi();
    emulator.configure({ projectNumbers: { "123456": "demo-project" } });
    const result = await json([], { ...onEmulator(), GOOGLE_PROJECT: "123456" });
    emulator.configure({ projectNumbers: {} });
    expect(finding(result, "project")).toMatchObject({ status: "ok" });
  });

  test("any project is a warning if the emulator is empty, because it may be seeded later", async () => {
    pulumi();
    const empty = await startEmulator();
    const result = await json([], { ...empty.env, GOOGLE_PROJECT: "demo-project" });
    await empty.stop();
    expect(finding(result, "project")).toMatchObject({
      status: "warning",
      message: expect.stringMatching(/: the emulator at http:\S+ has no resources$/),
    });
  });
});

test.each([
  ["v3.141.9", /3\.141\.9 .* is older than 3\.142\.0/],
  ["", /prints no version/],
])("refuses a Pulumi CLI with the version output %p", async (version, message) => {
  pulumi(version);
  expect(finding(await json(), "pulumi")).toMatchObject({ status: "error", message: expect.stringMatching(message) });
});

test("a project without its language host and without the plugin gives an error and a warning", async () => {
  pulumi();
  fs.writeFileSync(path.join(home, "Pulumi.yaml"), "name: p\nruntime: {name: python}\n");
  fs.writeFileSync(path.join(home, "requirements.txt"), "pulumi_perimeter\n");
  const before = process.cwd();
  try {
    process.chdir(home);
    const result = await json();
    expect(finding(result, "language hosts")).toMatchObject({
      status: "error",
      runtime: "python",
      message: expect.stringContaining("pulumi-language-python, which this project needs"),
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

test.each([
  ["Pulumi.yaml", "name: p\nruntime: yaml\nresources: { a: { type: gcp:pubsub:Topic } }\n", "note"],
  [
    "Pulumi.yaml",
    "name: p\nruntime: yaml\nresources: { a: { type: perimeter:iam/v1:ResourceIamMember } }\n",
    "warning",
  ],
  ["requirements.txt", "pulumi_gcp\n", "note"],
  ["go.mod", "require github.com/pulumi-perimeter/pulumi-perimeter/sdk/go/perimeter v0.1.0\n", "warning"],
])("a project whose %s has %j gets a %s about the missing plugin", async (name, text, status) => {
  pulumi();
  fs.writeFileSync(path.join(home, "Pulumi.yaml"), "name: p\nruntime: python\n");
  fs.writeFileSync(path.join(home, name), text);
  const before = process.cwd();
  try {
    process.chdir(home);
    expect(finding(await json(), "plugin")).toMatchObject({ status });
  } finally {
    process.chdir(before);
    for (const each of ["Pulumi.yaml", name]) fs.rmSync(path.join(home, each), { force: true });
  }
});

test("a plugin of another version is an error, installed or on PATH", async () => {
  const installed = [{ name: "perimeter", kind: "resource", version: "0.0.9" }];
  pulumi("v3.250.0", { "plugin ls": JSON.stringify(installed) });
  expect(finding(await json(), "plugin")).toMatchObject({ status: "warning", source: "installed", found: "0.0.9" });
  program("pulumi-resource-perimeter", { "--version": "0.0.8" });
  expect(finding(await json(), "plugin")).toMatchObject({ status: "warning", source: "PATH", found: "0.0.8" });
  const ignoring = { ...onEmulator(), PULUMI_IGNORE_AMBIENT_PLUGINS: "true" };
  expect(finding(await json([], ignoring), "plugin")).toMatchObject({ source: "installed" });
});

test("the plugin of the folder that the project names is preferred to the one on PATH", async () => {
  program("pulumi-resource-perimeter", { "--version": VERSION });
  const before = process.cwd();
  const project = fs.mkdtempSync(path.join(home, "project-"));
  const folder = path.join(project, "bin");
  const named = (version = "") =>
    fs.writeFileSync(
      path.join(project, "Pulumi.yaml"),
      `name: p\nruntime: yaml\nplugins:\n  providers:\n    - { name: perimeter, path: ./bin${version} }\n`,
    );
  process.chdir(project);
  try {
    named();
    const missing = { status: "error", source: "project", message: expect.stringContaining(folder) };
    expect(finding(await json(), "plugin")).toMatchObject(missing);
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, "pulumi-resource-perimeter"), "#!/bin/sh\necho 0.0.7\n", { mode: 0o755 });
    const other = { status: "warning", source: "project", found: "0.0.7" };
    expect(finding(await json(), "plugin")).toMatchObject({
      ...other,
      path: path.join(folder, "pulumi-resource-perimeter"),
    });
    named(", version: 0.0.1");
    expect(finding(await json(), "plugin")).toMatchObject({ status: "ok", source: "PATH" });
  } finally {
    process.chdir(before);
  }
});

describe("with a stack", () => {
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

  test("uses the configuration and token of the stack, and never shows the token", async () => {
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

  test("checks the APIs of the grants that the stack has by its default provider, at one resource of each", async () => {
    const topic = (name: string) => `//pubsub.googleapis.com/projects/demo-project/topics/${name}`;
    const grant = (name: string, on: string, provider = "default_0_1_0") => ({
      urn: `urn:pulumi:dev::p::perimeter:iam/v1:ResourceIamMember::${name}`,
      type: "perimeter:iam/v1:ResourceIamMember",
      custom: true,
      id: name,
      inputs: { resource: on, role: "roles/viewer", member: "user:ada@example.com" },
      outputs: {},
      provider: `urn:pulumi:dev::p::pulumi:providers:perimeter::${provider}::1`,
    });
    const providers = ["default_0_1_0", "other"].map((name) => ({
      urn: `urn:pulumi:dev::p::pulumi:providers:perimeter::${name}`,
      type: "pulumi:providers:perimeter",
      custom: true,
      id: "1",
    }));
    const elsewhere = grant("c", "//secretmanager.googleapis.com/projects/demo-project/secrets/s", "other");
    const resources = [...providers, grant("a", topic("a")), grant("b", topic("b")), elsewhere];
    pulumi("v3.250.0", {
      "config --json --show-secrets --stack=dev": config({}),
      "stack export --stack=dev": JSON.stringify({ version: 3, deployment: { resources } }),
    });
    emulator.seed([{ name: topic("a") }]);
    const result = await json(["--stack", "dev"], onEmulator());
    const added = result.findings.filter(({ message }) => /pubsub|secretmanager/.test(message));
    expect(added).toMatchObject([
      { check: "endpoint", api: "pubsub", status: "ok" },
      { check: "permissions", api: "pubsub", resource: topic("a"), status: "ok" },
    ]);
    emulator.configure({ deny: ["pubsub.topics.setIamPolicy"] });
    const denied = await json(["--stack", "dev"], onEmulator());
    expect(denied).toMatchObject({ exitCode: 1 });
    expect(denied.findings.at(-1)).toMatchObject({ api: "pubsub", status: "error" });
  });

  test("asks in a project of @pulumi/gcp alone for no project, and for the APIs of its grants only", async () => {
    const before = process.cwd();
    const project = fs.mkdtempSync(path.join(home, "project-"));
    fs.writeFileSync(path.join(project, "Pulumi.yaml"), "name: p\nruntime: yaml\nresources: {}\n");
    const type = "gcp:pubsub/topicIAMMember:TopicIAMMember";
    const id = "projects/demo-project/topics/orders";
    const inputs = { topic: id, role: "roles/viewer", member: "user:ada@example.com" };
    const urn = `urn:pulumi:dev::p::${type}::a`;
    const provider = "urn:pulumi:dev::p::pulumi:providers:gcp::default_9_0_0::1";
    const grant = {
      urn,
      type,
      custom: true,
      id: `${id}/roles/viewer/user:ada@example.com`,
      inputs,
      outputs: inputs,
      provider,
    };
    pulumi("v3.250.0", {
      "config --json --show-secrets --stack=dev": config({}),
      "stack export --stack=dev": JSON.stringify({ version: 3, deployment: { resources: [grant] } }),
    });
    process.chdir(project);
    try {
      emulator.seed([{ name: `//pubsub.googleapis.com/${id}` }]);
      const result = await json(["--stack", "dev"], emulator.env);
      expect(findings(result, "endpoint")).toMatchObject([{ api: "pubsub" }]);
      expect(findings(result, "permissions")).toMatchObject([{ api: "pubsub", status: "ok" }]);
      expect(finding(result, "project")).toMatchObject({ status: "skipped" });
    } finally {
      process.chdir(before);
    }
  });

  test("reports that the APIs refuse the token of the stack", async () => {
    secured({ accessToken: CANARY });
    emulator.configure({ requireAuth: true, tokens: ["another"] });
    const { code, text } = await doctor(["--stack", "dev"]);
    expect(code).toBe(1);
    expect(text.match(/ error +\w+: Could not list the locations/g)).toHaveLength(6);
    // Printed once, below the last finding.
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

  test("reports a wrong setting, and a stack that does not exist", async () => {
    secured({ grantMode: "mrege" });
    const wrong = await doctor(["--stack", "dev"]);
    expect(wrong.text).toMatch(/ error +The provider's configuration is wrong:\n +perimeter:grantMode must be one of/);
    expect(wrong.text).toMatch(/ skipped +Credentials: not checked/);
    pulumi();
    const missing = await doctor(["--stack", "dev"], onEmulator());
    expect([missing.code, missing.text]).toEqual([1, expect.stringMatching(/ error +`pulumi config .*` failed/)]);
    expect(missing.text).toMatch(/The checks below use only the environment[^]*-> `pulumi stack ls` lists the stacks/);
    expect(missing.text.match(/ ok +\w+: http:/g)).toHaveLength(6);
  });
});

test("reports a disabled API, a missing permission, and a name that does not exist", async () => {
  pulumi();
  // On one port, the locations of all APIs of one version have the same path: a refusal applies to all of them.
  emulator.configure({
    disabledServices: ["gkehub", "eventarc", "apigateway", "networksecurity", "datamigration", "healthcare"],
  });
  const disabled = await json();
  expect(disabled.exitCode).toBe(0);
  expect(findings(disabled, "permissions").map(({ status }) => status)).toEqual(Array(6).fill("warning"));
  expect(finding(disabled, "permissions")?.message).toMatch(
    /^apigateway: .*Enable it by visiting https:\S+demo-project/,
  );

  emulator.configure({ disabledServices: [], deny: ["healthcare.fhirStores.setIamPolicy"] });
  const result = await json([STORE, `${STORE}-2`]);
  const [denied, missing] = findings(result, "permissions").slice(-2);
  expect(denied).toMatchObject({
    status: "error",
    message: `the permission healthcare.fhirStores.setIamPolicy on ${STORE} is missing`,
  });
  expect(missing).toMatchObject({ status: "error", message: `${STORE}-2 does not exist` });

  const { code, errors } = await doctor(["projects/p/x"]);
  expect([code, errors]).toEqual([1, expect.stringContaining("must be the full name of")]);
});

test("reports an emulator that is not running", async () => {
  pulumi();
  const { code, text } = await doctor([], { ...onEmulator(), PERIMETER_EMULATOR_HOST: "127.0.0.1:9" });
  expect(code).toBe(1);
  expect(text.match(/ error +\w+: http:\/\/127.0.0.1:9\/\S+ \(emulator,/g)).toHaveLength(6);
  expect(text.match(/-> Is the emulator running\?/g)).toHaveLength(1);
});

test("--help has an example of each command, and `version` prints the versions for a bug report", async () => {
  const print = async (...args: string[]) => {
    let text = "";
    const code = await run(["node", "perimeter", ...args], {
      write: (more) => (text += more),
    });
    return [code, text];
  };
  const [, help] = await print("--help");
  for (const command of ["emulator", "review", "access", "doctor", "version"]) {
    expect(help).toMatch(new RegExp(`^  npx pulumi-perimeter ${command}.* {3}`, "m"));
    expect(await print(command, "--help")).toEqual([0, expect.stringContaining(`Usage: perimeter ${command}`)]);
  }
  const schemaFile = path.join(__dirname, "../sdk/schema.json");
  const schema = JSON.parse(fs.readFileSync(schemaFile, "utf8")) as Record<string, object>;
  const count = (key: string) => Object.keys(schema[key] ?? {}).length;
  const versions = new RegExp(
    `pulumi-perimeter +${VERSION}\n.* ${count("resources")} resources, ${count("functions")} functions\n[^]*${process.versions.node}`,
  );
  expect(await print("version")).toEqual([0, expect.stringMatching(versions)]);
});
