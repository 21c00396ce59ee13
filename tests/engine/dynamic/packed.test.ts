/** The package as npm delivers it, in a project that has nothing else of this repository; and the command, also as one file. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import type { DoctorResult } from "../../../cli/doctor/result";
import { COMMAND_FORMS } from "../../support/command";
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { packedPackage } from "../../support/pack";
import { builtPlugin } from "../../support/plugin";
import { association, ASSOCIATIONS } from "../../support/programs";
import { testInAll } from "../../support/test-all";
import { PackedStack } from "./packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let stack: PackedStack;
afterEach(() => stack?.dispose());

test("the tarball contains exactly the code, its types and its documents", () => {
  const { files } = packedPackage();
  const papers = files.filter((file) => !/^(dist|docs)\//.test(file));
  expect(papers).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "package.json", "sdk/schema.json"]);
  // `require-node.cjs` runs before everything else, on any Node.js.
  for (const file of files.filter((each) => /^dist\/(?!require-node\.(cjs|d\.cts)$)/.test(each))) {
    expect(file).toMatch(/^dist\/(access|picture|provider|emulator|cli)\/[\w./-]+(\.js|\.d\.ts)$/);
    expect(file).not.toMatch(/\.test\.|\/testing\/|\.map$/);
  }
  expect(files).toEqual(
    expect.arrayContaining([
      "dist/provider/dynamic/index.js",
      "dist/provider/dynamic/index.d.ts",
      "dist/provider/dynamic/backend.js",
      "dist/access/index.js",
      "dist/emulator/index.js",
      "dist/cli/main.js",
      "dist/require-node.cjs",
    ]),
  );
});

const TYPESCRIPT = `
import * as pulumi from "@pulumi/pulumi";
import * as perimeter from "pulumi-perimeter";

const association = new perimeter.networksecurity.v1beta1.FirewallEndpointAssociation("prod", ${JSON.stringify(association().args).slice(0, -1)}, labels: { team: "network" } });
export const name: pulumi.Output<string> = association.name;
export const state = perimeter.fleet.v1beta
  .getScopeOutput({ location: "global", scopeId: "team-a" }, { dependsOn: association })
  .state.apply(({ code }: { code: string }) => code);

type Arguments = ConstructorParameters<typeof perimeter.networksecurity.v1beta1.FirewallEndpointAssociation>[1];
const labels: Arguments["labels"] = { team: "network" };
// @ts-expect-error: a label is a text
const mistyped: Arguments["labels"] = { team: 42 };
`;

const outputs = { name: `${ASSOCIATIONS}/prod`, state: "READY" };
const COMPILER = { target: "es2022", module: "commonjs", moduleResolution: "node10", strict: true, skipLibCheck: true };
/** Writes out/index.js. That the types are right is not asked again: it would cost some seconds. */
const COMPILE = `
const [fs, ts] = [require("node:fs"), require("typescript")];
const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ".");
fs.mkdirSync("out");
const text = ts.transpileModule(fs.readFileSync("index.ts", "utf8"), { compilerOptions: options }).outputText;
fs.writeFileSync("out/index.js", text);
`;

// README's quick start (tests/docs/snippets/quick-start.test.ts) is a TypeScript program that Pulumi checks. The test below runs
// JavaScript. tests/docs/snippets/typescript.test.ts checks the types of all entry points.
testInAll("a TypeScript program type-checks, and compiled it declares the same resources", async () => {
  stack = await PackedStack.create({
    program: { "index.ts": TYPESCRIPT, "tsconfig.json": JSON.stringify({ compilerOptions: COMPILER }) },
    runtime: { name: "nodejs" },
    // The program is checked, and Pulumi's SDK starts, as for users.
    env: { TS_NODE_TRANSPILE_ONLY: "false", NODE_OPTIONS: "" },
  });
  const { project } = stack;
  project.writeFiles({ "package.json": JSON.stringify({ name: "sample", main: "index.ts" }) });
  await project.up();
  expect(await project.outputs()).toEqual(outputs);

  execFileSync(process.execPath, ["-e", COMPILE], { cwd: project.dir });
  project.useMain("out/index.js");
  expect((await project.up()).changes).toEqual({});
  expect(await project.outputs()).toEqual(outputs);
});

test("an ESM program works with the tarball", async () => {
  stack = await PackedStack.create({
    program: {
      "package.json": JSON.stringify({ name: "sample", type: "module", main: "index.js" }),
      "index.js": `
import * as perimeter from "pulumi-perimeter";
import { networksecurity } from "pulumi-perimeter";
const association = new networksecurity.v1beta1.FirewallEndpointAssociation("prod", ${JSON.stringify(association().args)});
export const name = association.name;
export const state = perimeter.fleet.v1beta.getScopeOutput({ location: "global", scopeId: "team-a" }).state.code;
`,
    },
  });
  const { project } = stack;
  await project.up();
  expect(await project.outputs()).toEqual(outputs);
});

describe.each(COMMAND_FORMS)("the command of %s", (form) => {
  const env = { PATH: process.env.PATH };
  let folder: string;
  let command: string;
  let version: string;
  let emulator: ChildProcess;
  let exited: Promise<unknown[]>;
  let host: string;
  beforeAll(async () => {
    folder = fs.mkdtempSync(path.join(tmpdir(), "perimeter-command-"));
    const { nodeModules } = packedPackage();
    command = path.join(form === "the executable" ? folder : path.join(nodeModules, ".bin"), "perimeter");
    // Under this name, the executable is the command.
    if (form === "the executable") fs.symlinkSync(builtPlugin(form), command);
    ({ version } = JSON.parse(fs.readFileSync(path.join(nodeModules, "pulumi-perimeter/package.json"), "utf8")) as {
      version: string;
    });
    const started = spawn(command, ["emulator", "--port", "0"], { env, stdio: ["ignore", "pipe", "inherit"] });
    emulator = started;
    exited = once(started, "exit");
    host = await new Promise<string>((resolve, reject) => {
      let printed = "";
      started.stdout.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        const found = /PERIMETER_EMULATOR_HOST=['"]?([\w.]+:\d+)\s/.exec(printed);
        if (found?.[1]) resolve(found[1]);
      });
      void exited.then(() => reject(new Error(`the emulator ended, having printed ${JSON.stringify(printed)}`)));
    });
  });
  afterAll(() => {
    emulator?.kill("SIGKILL");
    fs.rmSync(folder, { recursive: true, force: true });
  });

  test("prints the version of the package", () => {
    expect(execFileSync(command, ["--version"], { encoding: "utf8", env })).toBe(`${version}\n`);
  });

  test("runs an emulator, which is healthy", async () => {
    expect((await fetch(`http://${host}/_emulator/health`)).status).toBe(200);
  });

  test("has the page of the emulator with its script", async () => {
    const page = await (await fetch(`http://${host}/`)).text();
    const script = /<script type="module" src="([^"]+)">/.exec(page)?.[1] ?? "";
    expect(await (await fetch(`http://${host}${script}`)).text()).toContain("Preact");
  });

  test("has a doctor, which finds the emulator", () => {
    // The exit code is that of this machine, which need not have Pulumi on PATH.
    const doctor = spawnSync(command, ["doctor", "--json"], {
      encoding: "utf8",
      env: { ...env, PERIMETER_EMULATOR_HOST: host, GOOGLE_PROJECT: "demo-project" },
    });
    const { package: checked, findings } = JSON.parse(doctor.stdout) as DoctorResult;
    expect(checked).toBe(version);
    expect(findings.filter(({ check }) => /endpoint|permissions/.test(check)).map(({ status }) => status)).toEqual(
      Array(12).fill("ok"),
    );
  });

  // The last one: it ends the emulator of the others.
  test("ends its emulator at SIGTERM, without an error", async () => {
    emulator.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  });
});
