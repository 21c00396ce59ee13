/** The executable as the command: how it is started, and what its messages call it. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { engines } from "../package.json";
import { lowestOf } from "../provider/version";
import { demoSeed, startEmulator, type Emulator } from "../emulator";
import { spawnCommand } from "../tests/support/command";
import { deleting, STORE } from "../tests/support/grant-plans";
import { builtPlugin } from "../tests/support/plugin";
import type { DoctorResult } from "./doctor/result";

const executable = builtPlugin("the executable");
const PULUMI_RUN = { PULUMI_RPC_TARGET: "127.0.0.1:1" };

let folder: string;
beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "perimeter-one-file-")));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const help = (file: string, args: readonly string[], env = {}) =>
  execFileSync(file, args, { encoding: "utf8", cwd: folder, env, timeout: 30_000 });

test("as pulumi-resource-perimeter, a word is a command, and --help is that of the plugin", () => {
  expect(help(executable, ["help"])).toContain("\n  pulumi-resource-perimeter review --stack dev ");
  expect(help(executable, ["--help"])).toMatch(/^usage: pulumi-resource-perimeter .*pulumi-resource-perimeter help/s);
});

test("as perimeter, it is the command with any arguments", () => {
  const command = path.join(folder, "perimeter");
  fs.symlinkSync(executable, command);
  // The executable contains the command's module: it runs no file of the folder where it starts.
  fs.writeFileSync(path.join(folder, "command.js"), "process.exit(9)");
  expect(help(command, ["--help"])).toContain("\n  perimeter review --stack dev ");
});

test("in `pulumi plugin run`, messages name that command, and a plan on standard input is refused at once", async () => {
  expect(help(executable, ["help"], PULUMI_RUN)).toContain(
    "\n  pulumi plugin run --kind resource perimeter -- review ",
  );
  const input = deleting("user:ada@example.com");
  // The input stays open.
  const child = spawn(executable, ["review"], { cwd: folder, env: PULUMI_RUN, stdio: ["pipe", "ignore", "pipe"] });
  child.stdin.on("error", () => undefined).write(input);
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  expect(await once(child, "close")).toEqual([1, null]);
  expect(stderr).toMatch(/^error: `pulumi plugin run` does not pass on the end of standard input: .*--plan/);
}, 30_000);

test("a mistyped command is an error with the right name, and no plugin starts", async () => {
  const { code, stderr } = await spawnCommand(["reveiw"], {
    cwd: folder,
    env: { HOME: folder },
    form: "the executable",
  });
  expect([code, stderr]).toEqual([1, "error: unknown command 'reveiw'\n(Did you mean review?)\n"]);
});

test("without Node.js on PATH, the doctor notes that only programs in TypeScript and JavaScript need it", async () => {
  const env = { HOME: folder, PATH: folder, PERIMETER_EMULATOR_HOST: "127.0.0.1:1" };
  const child = spawn(executable, ["doctor", "--json"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  const chunks: Buffer[] = await child.stdout.toArray();
  const { findings } = JSON.parse(Buffer.concat(chunks).toString()) as DoctorResult;
  expect(findings[0]).toEqual({
    ...{ check: "node", status: "note", needed: lowestOf(engines.node) },
    message: "Node.js is not on PATH; only programs in TypeScript and JavaScript need it",
  });
});

test("the emulator stops when the Pulumi that runs it is killed", async () => {
  // The shell is in the place of Pulumi: a signal to it does not reach the emulator.
  const args = ["-c", '"$0" emulator --port 0 & wait', executable];
  const shell = spawn("bash", args, { cwd: folder, env: PULUMI_RUN, stdio: ["ignore", "pipe", "inherit"] });
  let stdout = "";
  for await (const chunk of shell.stdout as AsyncIterable<Buffer>) {
    stdout += chunk.toString();
    if (stdout.includes("Ctrl-C stops it")) shell.kill("SIGKILL");
  }
  // The output ends when the emulator has ended.
  expect(stdout).toMatch(/Stopped\.\n$/);
}, 30_000);

describe("with an emulator", () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator({ seed: demoSeed });
  });
  afterAll(() => emulator.stop());

  test("access prints who has access, and names itself in what to do with a copy", async () => {
    const args = ["access", STORE, "--format", "json", "--seed", "seed.yaml"];
    const place = { cwd: folder, env: { HOME: folder, ...emulator.env } };
    const { code, stdout, stderr } = await spawnCommand(args, { ...place, form: "the executable" });
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^seed\.yaml has \d+ resources: pulumi-resource-perimeter emulator --seed seed\.yaml\n$/),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ version: 1 });
  });
});

test("a plugin loads the command's module only for a command: it is not a part of the plugin's module", () => {
  const bytes = fs.readFileSync(executable);
  expect(bytes.includes('require("./command.js")')).toBe(true);
});
