import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { outputOf, runPulumi } from "./run-pulumi";
import { readPlan } from "./plan";
import { readStack, readStackOfPlan, previewStack } from "./stack";
import { fakePulumi } from "../../tests/support/fake-pulumi";

/** In place of Pulumi runs a script, which prints and fails as wanted. */
const folder = path.join(__dirname, "../../tests/fixtures/plans");
const PLAN = fs.readFileSync(path.join(folder, "update.json"), "utf8");
let dir: string;

beforeEach(() => {
  dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-stack-")));
});
afterEach(() => fs.rmSync(dir, { recursive: true }));

const ECHO = "process.stdout.write(JSON.stringify({ args, cwd: process.cwd(), env: process.env }));";

describe("Pulumi", () => {
  test("runs without a shell, in the folder, and asks no questions", async () => {
    const pulumi = fakePulumi(dir, ECHO);
    const environment = { ...process.env, PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true", MINE: "1" };
    const { stdout, exitCode } = await runPulumi(["preview", "--stack=a; rm $HOME"], { cwd: dir, pulumi, environment });
    const said = JSON.parse(stdout) as { args: string[]; cwd: string; env: Record<string, string> };
    expect(exitCode).toBe(0);
    expect(said).toMatchObject({ args: ["preview", "--stack=a; rm $HOME", "--non-interactive"], cwd: dir });
    expect(said.env).toMatchObject({ MINE: "1", PULUMI_SKIP_UPDATE_CHECK: "true" });
    expect(said.env).not.toHaveProperty("PULUMI_ENABLE_STREAMING_JSON_PREVIEW");
  });

  test("is an error if it is missing or was ended", async () => {
    const missing = path.join(dir, "nothing");
    await expect(runPulumi(["x"], { pulumi: missing })).rejects.toThrow(/^Could not run `.*nothing x`: .*ENOENT/);
    await expect(runPulumi(["x"], { environment: { PATH: path.dirname(missing) } })).rejects.toThrow(
      "Could not run `pulumi x`: the Pulumi CLI is not on PATH. Install it: https://www.pulumi.com/docs/install/",
    );
    const pulumi = fakePulumi(dir, "process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);");
    await expect(runPulumi(["x"], { pulumi })).rejects.toThrow(/was stopped by SIGKILL/);
  });

  test("is quoted with its errors after a failure, and never with its output", async () => {
    const pulumi = fakePulumi(
      dir,
      `console.log("plain-secret"); console.error("\\u001b[31merror\\u001b[0m: no\\n\\n more"); process.exit(6);`,
    );
    const failed = outputOf(["config"], { pulumi });
    await expect(failed).rejects.toThrow(/config` failed with exit code 6:\n {2}error: no\n {2}more$/);
    await expect(failed).rejects.not.toThrow(/plain-secret/);
  });

  test("is quoted with the first three and the last two lines of a long error", async () => {
    const pulumi = fakePulumi(dir, `for (const n of "123456789") console.error(n); process.exit(1);`);
    await expect(outputOf(["x"], { pulumi })).rejects.toThrow(
      /exit code 1:\n {2}1\n {2}2\n {2}3\n {2}…\n {2}8\n {2}9$/,
    );
  });
});

/** A Pulumi that answers each command with what is given, or fails. */
function pulumiWith(answers: Record<string, string>): string {
  return fakePulumi(
    dir,
    `
    const answer = ${JSON.stringify(answers)}[args[0]];
    if (answer === undefined) { console.error("error: no " + args[0]); process.exit(1); }
    require("node:fs").appendFileSync("calls.txt", args.join(" ") + "\\n");
    process.stdout.write(answer);`,
  );
}
const CONFIG = JSON.stringify({
  "perimeter:accessToken": { value: "token", secret: true },
  "perimeter:later": { secret: true },
  "google-native:project": { value: "native" },
  "p:pw": { value: "other-secret", secret: true },
});

test("reads the stack's state and the settings of its providers, and nothing else", async () => {
  const pulumi = pulumiWith({ stack: "STATE", config: CONFIG });
  await expect(readStack("dev", { cwd: dir, pulumi })).resolves.toEqual({
    state: "STATE",
    configuration: { "perimeter:accessToken": "token", "google-native:project": "native" },
  });
});

describe("the stack of a plan", () => {
  /** As the plan has them. */
  const settings = {
    "perimeter:accessToken": { value: "token", secret: true },
    "perimeter:grantMode": { value: "merge", secret: false },
    "perimeter:project": { value: "demo-project", secret: false },
  };
  const answers = { stack: "STATE", config: JSON.stringify(settings) };

  test("is read in the folder of its project, or below it", async () => {
    fs.writeFileSync(path.join(dir, "Pulumi.yaml"), "name: p\nruntime: yaml\n");
    const below = path.join(dir, "a/b");
    fs.mkdirSync(below, { recursive: true });
    const found = await readStackOfPlan(readPlan(PLAN), { cwd: below, pulumi: pulumiWith(answers) });
    // The plan has its settings itself, all but the secret ones.
    expect(found).toEqual({ state: "STATE", configuration: { "perimeter:accessToken": "token" }, notes: [] });
    expect(fs.readFileSync(path.join(below, "calls.txt"), "utf8")).toContain(
      "stack export --show-secrets --stack=test",
    );
  });

  test.each([
    ["no project is here", undefined, answers, /the project p of the plan is not in this folder/],
    ["another project is here", "name: other\n", answers, /the project p of the plan is not in this folder/],
    ["the project file is broken", "name: [\n", answers, /the project p of the plan is not in this folder/],
    ["Pulumi cannot read it", "name: p\n", { config: CONFIG }, /error: no stack/],
    ["its settings are no JSON", "name: p\n", { stack: "STATE", config: "secret-text" }, /is not JSON/],
  ])("is not read, and the reason is given, if %s", async (_why, manifest, given, message) => {
    if (manifest !== undefined) fs.writeFileSync(path.join(dir, "Pulumi.yaml"), manifest);
    const read = await readStackOfPlan(readPlan(PLAN), { cwd: dir, pulumi: pulumiWith(given) });
    expect(read).toEqual({ notes: [], stateProblem: expect.stringMatching(message) });
    expect(read.stateProblem).not.toContain("secret-text");
  });

  test("is read, with a note if the plan was made with other settings", async () => {
    fs.writeFileSync(path.join(dir, "Pulumi.yaml"), "name: p\nruntime: yaml\n");
    const hidden = PLAN.replace('"perimeter:grantMode": "merge"', '"perimeter:grantMode": "[secret]"');
    expect(hidden).not.toBe(PLAN);
    const config = JSON.stringify({
      ...settings,
      "perimeter:grantMode": { value: "merge", secret: true },
      "perimeter:project": { value: "other", secret: false },
      "perimeter:emulatorHost": { value: "127.0.0.1:1", secret: false },
    });
    const found = await readStackOfPlan(readPlan(hidden), { cwd: dir, pulumi: pulumiWith({ ...answers, config }) });
    // The grant mode is secret in the plan, and the folder has other settings: its grant mode may be another one.
    expect(found.configuration).toEqual({ "perimeter:accessToken": "token" });
    expect(found.notes).toEqual([
      expect.stringMatching(/\(perimeter:emulatorHost, perimeter:project\): the review used/),
    ]);
  });

  test("is not read if the plan names no stack", async () => {
    await expect(readStackOfPlan(readPlan('{"steps":[]}'), { cwd: dir })).resolves.toEqual({
      notes: [],
      stateProblem: expect.stringContaining("names its stack"),
    });
  });
});

test("a preview that prints no plan is an error with Pulumi's message", async () => {
  const pulumi = fakePulumi(dir, `console.error("error: no stack named 'dev' found"); process.exit(6);`);
  const options = { stack: "dev", cwd: dir, pulumi };
  await expect(previewStack(options)).rejects.toThrow(
    /preview .*failed with exit code 6:\n {2}error: no stack named 'dev'/,
  );
  await expect(previewStack({ ...options, destroy: true })).rejects.toThrow(
    /destroy --preview-only --json --show-sames --stack=dev/,
  );
});

describe("arguments behind --", () => {
  test.each([
    ["--cwd=infra", "--config-file=other.yaml"],
    ["--cwd", "infra", "--config-file", "other.yaml"],
    ["-C", "infra", "--config-file", "other.yaml"],
    ["-Cinfra", "--target", "urn", "--config-file=other.yaml"],
    ["-C=infra", "--config-file", "other.yaml", "--refresh"],
  ])("that name the place of the settings apply to the settings and the state, too: %s %s %s", async (...args) => {
    const given = args.filter((each) => each !== undefined);
    const pulumi = pulumiWith({ preview: PLAN, stack: '{"deployment":{}}', config: "{}" });
    await previewStack({ stack: "test", cwd: dir, pulumi, args: given, environment: {} }).catch(() => undefined);
    const calls = fs.readFileSync(path.join(dir, "calls.txt"), "utf8").trim().split("\n").sort();
    const [config, , stack] = calls;
    expect(config).toMatch(/^config --json .*--stack=test (--cwd|-C)[= ]?infra --config-file[= ]other\.yaml --non-/);
    expect(stack).toMatch(/^stack export .*--stack=test (--cwd|-C)[= ]?infra --non-interactive$/);
  });

  test.each([["--stack=prod"], ["--stack", "prod"], ["-s", "prod"], ["-sprod"]])(
    "that name another stack are refused: %s %s",
    async (...args) => {
      const given = args.filter((each) => each !== undefined);
      await expect(previewStack({ stack: "dev", cwd: dir, args: given })).rejects.toThrow(/^The stack is named twice/);
    },
  );
});
