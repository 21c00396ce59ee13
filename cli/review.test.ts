/** `perimeter review` and `perimeter access` as processes: their streams, files and exit codes. */
import { byEffect, onlyStack } from "../tests/support/answers";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { demoSeed, startEmulator, type Emulator } from "../emulator";
import type { Answer } from "../access";
import { COMMAND_FORMS, runCommand, spawnCommand, type CommandEnd, type CommandForm } from "../tests/support/command";
import { creating, deleting, READER, STORE } from "../tests/support/grant-plans";
import { fakePulumi } from "../tests/support/fake-pulumi";
import { casesHere } from "../tests/support/test-all";
import { run } from "./program";

/** The diagnostics of a failed preview. */
const failure = [{ severity: "error", message: "error: no such function" }];

let emulator: Emulator;
let folder: string;
beforeAll(async () => {
  emulator = await startEmulator({ seed: demoSeed });
});
afterAll(() => emulator.stop());
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), "perimeter-review-"));
});
afterEach(() => {
  for (const each of [folder, `${folder}-state.json`]) fs.rmSync(each, { recursive: true, force: true });
});

const file = (name: string, content: string) => {
  fs.writeFileSync(path.join(folder, name), content);
  return path.join(folder, name);
};

/** The options that name the state which a plan was made with. The file is not in the folder. */
function stateOf(plan: string): string[] {
  const { steps } = JSON.parse(plan) as { steps: { oldState?: object }[] };
  const resources = steps.flatMap(({ oldState }) => oldState ?? []);
  fs.writeFileSync(`${folder}-state.json`, JSON.stringify({ version: 3, deployment: { resources } }));
  return ["--state", `${folder}-state.json`];
}

/** Runs a process in a separate folder. `shell` adds programs such as coreutils' `head`. */
const perimeterOf =
  (form: CommandForm) =>
  (args: string[], input = "", shell = '"$@"', env: Record<string, string> = {}): Promise<CommandEnd> =>
    spawnCommand(args, { cwd: folder, env: { HOME: folder, ...emulator.env, ...env }, input, shell, form });

/** The same in this process, which is faster. */
const inFolder = (
  args: string[],
  input: string,
  { env = {}, subfolder = "." }: { env?: Record<string, string>; subfolder?: string } = {},
): Promise<CommandEnd> =>
  runCommand(args, { cwd: path.join(folder, subfolder), env: { ...emulator.env, ...env }, input });

/** Runs the command in this process. The paths of its options must be absolute. */
async function command(args: string[], input: Readable & { isTTY?: boolean } = Readable.from([])): Promise<CommandEnd> {
  const text = { stdout: "", stderr: "" };
  const code = await run(["node", "perimeter", ...args], {
    write: (more) => (text.stdout += more),
    writeError: (more) => (text.stderr += more),
    environment: emulator.env,
    screen: {},
    input,
  });
  return { code, ...text };
}

describe.each(casesHere(COMMAND_FORMS, (form) => form === "the npm package"))("the process of %s", (form) => {
  const perimeter = perimeterOf(form);

  test("reads a plan from a pipe, prints the loss and exits with 2", async () => {
    const { code, stdout, stderr } = await perimeter(["review"], deleting("user:ada@example.com"));
    expect([code, stderr]).toEqual([2, ""]);
    expect(stdout).toContain("- user:ada@example.com");
    expect(stdout).not.toContain("\u001b[");
  }, 60_000);

  test("exits without an error when the reader of its output ends early", async () => {
    const { code, stdout, stderr } = await perimeter(["review"], deleting("user:ada@example.com"), '"$@" | head -n 1');
    expect([code, stderr]).toEqual([2, ""]);
    expect(stdout).toMatch(/^1 principal loses access.*\n$/);
  }, 60_000);
});

test("FORCE_COLOR colors a pipe, --no-color prevents it, and the default policy file is in the folder", async () => {
  file(".perimeter-review.yaml", "version: 1\nallowLoss: [{principals: ['user:*'], reason: moved to a group}]");
  const plan = deleting("user:ada@example.com");
  const { code, stdout } = await inFolder(["review", ...stateOf(plan)], plan, { env: { FORCE_COLOR: "1" } });
  expect(code).toBe(0);
  expect(stdout).toContain("\u001b[");
  expect(stdout).toContain("moved to a group");

  const plain = await inFolder(["review", "--no-color"], plan, { env: { FORCE_COLOR: "1" } });
  expect(plain.stdout).toContain("moved to a group");
  expect(plain.stdout).not.toContain("\u001b[");
});

test.each([
  ["json", /^\{\n {2}"version": 1,/],
  ["markdown", /^<!-- perimeter-review: clinic\/dev -->\n/],
  ["html", /^<!doctype html>/i],
])("--format %s --output writes the file, and prints nothing", async (format, expected) => {
  const [plan, output] = [file("plan.json", deleting("user:ada@example.com")), path.join(folder, "answer")];
  const options = ["--plan", plan, "--format", format, "--output", output];
  expect(await command(["review", ...options])).toEqual({ code: 2, stdout: "", stderr: "" });
  expect(fs.readFileSync(output, "utf8")).toMatch(expected);
  expect(fs.readdirSync(folder).sort()).toEqual(["answer", "plan.json"]);
});

test("--output can be repeated: all files show one result, each in the format of its ending", async () => {
  const plan = file("plan.json", deleting("user:ada@example.com"));
  const outputs = ["a.md", "b.json", "c.html", "d.txt"].flatMap((name) => ["--output", path.join(folder, name)]);
  expect(await command(["review", "--plan", plan, ...outputs])).toEqual({ code: 2, stdout: "", stderr: "" });
  const read = (name: string) => fs.readFileSync(path.join(folder, name), "utf8");
  expect(read("a.md")).toMatch(/^<!-- perimeter-review: /);
  expect(JSON.parse(read("b.json"))).toMatchObject({ version: 1 });
  expect(read("c.html")).toMatch(/^<!doctype html>/i);
  expect(read("d.txt")).toMatch(/^1 principal loses access/);
});

test("leaves no file when the output cannot be written", async () => {
  const plan = file("plan.json", deleting("user:ada@example.com"));
  fs.mkdirSync(path.join(folder, "taken"));
  const { code, stderr } = await command(["review", "--plan", plan, "--output", path.join(folder, "taken")]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("taken cannot be written")]);
  expect(fs.readdirSync(folder).sort()).toEqual(["plan.json", "taken"]);
});

test("--allow-loss accepts an expected loss, and warns of a value that names nothing", async () => {
  const plan = file("plan.json", deleting("user:ada@example.com"));
  const allow = ["--allow-loss", "user:ADA@example.com", "--allow-loss", "user:bob@example.com"];
  const state = stateOf(deleting("user:ada@example.com"));
  const { code, stderr } = await command(["review", "--plan", plan, ...state, ...allow]);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^warning: --allow-loss user:bob@example.com names no principal.*\n$/);
});

test.each([
  ["an option in its place", ["--allow-loss", "--policy=rules.yaml"]],
  ["an empty text", ["--allow-loss", ""]],
])("--allow-loss with %s is refused, because it would swallow the next option", async (_what, args) => {
  const { code, stderr } = await command(["review", "--plan", "plan.json", ...args]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("It must be a principal, a role or a resource.")]);
});

test.each(["30", "3 months", "-1d", ""])("--expires-within %j is refused", async (text) => {
  const { code, stderr } = await command(["access", "projects/p", "--expires-within", text]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("It must be a number of hours, days or weeks")]);
});

test("--no-new-access fails for a gain, and --allow-gain names those that are expected", async () => {
  const plan = file("plan.json", creating("user:new@example.com"));
  const state = stateOf(creating("user:new@example.com"));
  const review = (...more: string[]) => command(["review", "--plan", plan, ...state, ...more]);
  expect((await review()).code).toBe(0);
  const { code, stdout } = await review("--no-new-access");
  expect(code).toBe(2);
  expect(stdout).toContain("Exit code 2: 1 gain not allowed.");
  const expected = await review("--no-new-access", "--allow-gain", "user:new@example.com");
  expect(expected.code).toBe(0);
  expect(expected.stdout).toContain("Allowed by --allow-gain user:new@example.com.");
});

test("--allow-loss keeps the rules of the policy file, also in a subfolder", async () => {
  file(".perimeter-review.yml", "version: 1\nprotectedPrincipals: [{principals: ['user:ada@*'], reason: on call}]");
  file("Pulumi.yaml", "name: clinic");
  fs.mkdirSync(path.join(folder, "src"));
  const state = stateOf(deleting("user:ada@example.com"));
  const args = ["review", ...state, "--allow-loss", "user:ada@example.com", "--format", "json"];
  const { code, stdout } = await inFolder(args, deleting("user:ada@example.com"), { subfolder: "src" });
  const { verdict } = onlyStack(JSON.parse(stdout) as Answer);
  expect([code, verdict.rules, byEffect(verdict).violations.map(({ rule }) => rule)]).toEqual([
    2,
    "../.perimeter-review.yml",
    ["protectedPrincipals[0]"],
  ]);
});

test("exits with 3 when the state could not be read, because it may have grants that wait for their deletion", async () => {
  const allow = ["--allow-loss", "user:ada@example.com"];
  const { code, stdout } = await command(["review", ...allow], Readable.from([deleting("user:ada@example.com")]));
  expect(code).toBe(3);
  expect(stdout).toMatch(/the project clinic of the plan is not in\s+this folder/);
});

test("a review of a failed preview is printed and written, with exit code 3, whatever the rules allow", async () => {
  const policy = file("rules.yaml", "version: 1\nunknown: allow");
  const output = path.join(folder, "review.md");
  const failing = { ...(JSON.parse(deleting("user:ada@example.com")) as object), diagnostics: failure };
  const plan = file("plan.json", JSON.stringify(failing));
  const args = ["review", "--plan", plan, ...stateOf(deleting("user:ada@example.com")), "--policy", policy];
  expect(await command([...args, "--output", output])).toEqual({ code: 3, stdout: "", stderr: "" });
  expect(fs.readFileSync(output, "utf8")).toMatch(
    /### Access review: Incomplete: 1 principal loses access on 1 resource; 1 thing is unknown/,
  );
  const { code, stdout } = await command(args);
  expect([code, stdout]).toEqual([
    3,
    expect.stringMatching(/^Incomplete: [\s\S]*user:ada@example.com[\s\S]*no\s+such function/),
  ]);
});

describe("a preview that fails before its first step, and so names no stack,", () => {
  const FAILED = JSON.stringify({ diagnostics: [{ severity: "warning", message: "warning: a plugin from $PATH" }] });
  const urn = (stack: string, project: string) => `urn:pulumi:${stack}::${project}::pulumi:pulumi:Stack::root`;
  const stateOfStack = (...urns: string[]) =>
    JSON.stringify({
      version: 3,
      deployment: { resources: urns.map((each) => ({ urn: each, type: "pulumi:pulumi:Stack", custom: false })) },
    });
  const EMPTY = stateOfStack();

  /** A Pulumi that prints a failed preview, and this state for each stack. */
  const failing = (state: string) =>
    fakePulumi(
      folder,
      `if (args[0] === "stack") process.stdout.write(${JSON.stringify(state)});
      else if (args[0] === "config") process.stdout.write("{}");
      else { process.stdout.write(${JSON.stringify(FAILED)}); process.exitCode = 255; }`,
    );
  const project = (name: string, project: string) => {
    fs.mkdirSync(path.join(folder, name), { recursive: true });
    fs.writeFileSync(path.join(folder, name, "Pulumi.yaml"), `name: ${project}\nruntime: nodejs\n`);
  };

  test.each<[string, string[], string, string]>([
    ["the name and the project's file", ["dev"], EMPTY, "shop/dev"],
    ["the name with its organization", ["acme/dev"], EMPTY, "shop/dev"],
    ["the whole name", ["acme/other/dev"], EMPTY, "other/dev"],
    ["the folder in front of the name", ["infra/dev"], EMPTY, "network/dev"],
    ["--cwd", ["dev", "--", "--cwd=infra"], EMPTY, "network/dev"],
    ["the state, if the project's file does not say more", ["broken/dev"], stateOfStack(urn("dev", "old")), "old/dev"],
  ])("has its stack by %s in every form", async (_by, args, state, expected) => {
    project(".", "shop");
    project("infra", "network");
    project("broken", "[");
    failing(state);
    const outputs = ["a.md", "a.json", "a.sarif", "a.xml"].flatMap((each) => ["--output", each]);
    const [stack = "", ...more] = args;
    const { code } = await inFolder(["review", "--stack", stack, ...outputs, ...more], "", { env: { PATH: folder } });
    const read = (name: string) => fs.readFileSync(path.join(folder, name), "utf8");
    expect(code).toBe(3);
    expect(read("a.md").split("\n")[0]).toBe(`<!-- perimeter-review: ${expected} -->`);
    expect(read("a.xml")).toContain(`Access review of an update: ${expected}`);
    expect((JSON.parse(read("a.sarif")) as { runs: unknown[] }).runs).toEqual([
      expect.objectContaining({ automationDetails: { id: `perimeter-review/${expected}/` } }),
    ]);
    const { stack: name, project: of } = onlyStack(JSON.parse(read("a.json")) as Answer);
    expect(`${of}/${name}`).toBe(expected);
  });

  test("as has the current access of a stack without resources", async () => {
    project(".", "shop");
    failing(EMPTY);
    const { stdout } = await inFolder(["access", "--stack", "acme/dev", "--format", "markdown"], "", {
      env: { PATH: folder },
    });
    expect(stdout.split("\n")[0]).toBe("<!-- perimeter-access: shop/dev -->");
  });

  test("has them also among several stacks", async () => {
    project("a", "network");
    project("b", "data");
    failing(EMPTY);
    const args = ["review", "--stack", "a/dev", "--stack", "b/dev", "--format", "json"];
    const { code, stdout } = await inFolder(args, "", { env: { PATH: folder } });
    const { stacks } = JSON.parse(stdout) as Answer;
    expect(code).toBe(3);
    expect(stacks.map(({ project: of, stack, unknown }) => [of, stack, unknown[0]?.message])).toEqual([
      ["network", "dev", expect.stringMatching(/^The preview failed/)],
      ["data", "dev", expect.stringMatching(/^The preview failed/)],
    ]);
  });

  test.each([
    ["without a state", [], "version: 1"],
    ["with the state of an empty stack", [EMPTY], "version: 1"],
    ["with a state", [stateOfStack(urn("dev", "shop"))], "version: 1"],
    ["and rules that allow what is unknown", [EMPTY], "version: 1\nunknown: allow"],
  ])("is an incomplete plan %s", async (_how, states, rules) => {
    const state = states.flatMap((each) => ["--state", file("state.json", each)]);
    const args = ["--plan", file("plan.json", FAILED), "--policy", file("rules.yaml", rules), ...state];
    const { code, stdout } = await command(["review", ...args]);
    expect([code, stdout.replaceAll(/\s+/g, " ")]).toEqual([
      3,
      expect.stringMatching(/^Incomplete: .*The preview failed/),
    ]);
  });
});

test("--policy-from: the basis names the revision, and a change of the rules is shown also if no access changes", async () => {
  const rules = file(".perimeter-review.yaml", "version: 1\n");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd: folder });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "rules");
  fs.appendFileSync(rules, "unknown: allow\n");
  // A grant that the policy does not have, in no other name either: deleting it changes nothing.
  const plan = deleting("serviceAccount:nobody@demo-project.iam.gserviceaccount.com");
  const env = { PATH: process.env.PATH ?? "" };
  const { code, stdout } = await inFolder(["review", "--policy-from", "HEAD", ...stateOf(plan)], plan, { env });
  expect(code).toBe(0);
  const text = stdout.replaceAll(/\s+/g, " ");
  expect(text).toContain("Rules file .perimeter-review.yaml of HEAD");
  expect(text).toContain("rules: .perimeter-review.yaml differs from the one in HEAD, which was used.");
});

test("--expect accepts what an approved review has, and exits with 2 for more", async () => {
  const [approved, plan] = [path.join(folder, "approved.json"), file("plan.json", deleting("user:ada@example.com"))];
  const review = (...args: string[]) => command(["review", "--plan", ...args]);
  const state = stateOf(deleting("user:ada@example.com"));
  expect((await review(plan, ...state, "--output", approved)).code).toBe(2);
  const same = await review(plan, ...state, "--expect", approved);
  expect(same.code).toBe(0);
  expect(same.stdout).toContain("Allowed by the approved review.");
  const gain = await review(file("more.json", creating("user:new@example.com")), "--expect", approved);
  expect(gain.code).toBe(2);
  expect(gain.stdout).toMatch(/expected: user:new@example\.com gains [^!]*The approved\s+review\s+does\s+not\s+have/);
  expect(await review(plan, "--expect", plan)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("is not what") as string,
  });
});

describe("texts that other programs wrote are read", () => {
  const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
  const FORMS: Record<string, (text: string) => Buffer> = {
    "UTF-8 with a mark": (text) => Buffer.from(`\ufeff${text}`),
    "UTF-16, as PowerShell writes it": utf16,
    "UTF-16 in the other order": (text) => utf16(text).swap16(),
    gzip: (text) => gzipSync(text),
    "gzip of UTF-16": (text) => gzipSync(utf16(text)),
  };
  test.each(Object.entries(FORMS))("%s", async (_form, encoded) => {
    const written = (name: string, text: string) => {
      fs.writeFileSync(path.join(folder, name), encoded(text));
      return path.join(folder, name);
    };
    const plan = deleting("user:ada@example.com");
    const [, state = ""] = stateOf(plan);
    const approved = await command(["review", "--plan", file("p.json", plan), "--state", state, "--format", "json"]);
    const files = {
      "--state": written("state.json", fs.readFileSync(state, "utf8")),
      "--expect": written("approved.json", approved.stdout),
      "--policy": written("rules.yaml", "version: 1\nmayGain: []\n"),
    };
    const options = Object.entries(files).flat();
    const ofFile = await command(["review", "--plan", written("plan.json", plan), ...options]);
    expect(ofFile).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("user:ada@example.com") as string,
    });
    expect(await command(["review", ...options], Readable.from([encoded(plan)]))).toEqual(ofFile);
    const now = await command(["access", STORE, "--format", "json"]);
    expect(await command(["access", "--diff", written("now.json", now.stdout)])).toMatchObject({ code: 0, stderr: "" });
  });

  test("but not a zip archive, and the error says what it is", async () => {
    const zip = Buffer.from("PK\u0003\u0004plan.json", "latin1");
    fs.writeFileSync(path.join(folder, "plan.zip"), zip);
    const ofFile = await command(["review", "--plan", path.join(folder, "plan.zip")]);
    expect(ofFile).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/plan\.zip cannot be read: it is a zip archive/),
    });
    const ofInput = await command(["review"], Readable.from([zip]));
    expect(ofInput).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: Standard input cannot be read: it is/),
    });
  });
});

test("exits with 3 when the access is unknown", async () => {
  const plan = file("plan.json", deleting("user:ada@example.com").replaceAll("fhirStores/records", "fhirStores/none"));
  const { code, stdout } = await command(["review", "--plan", plan, "--allow-loss", "user:ada@example.com"]);
  expect([code, stdout]).toEqual([3, expect.stringContaining("NOT_FOUND")]);
});

test.each<[string, string[], string, string]>([
  ["nothing in the pipe", [], "", "it is empty"],
  ["no JSON in it", [], "Previewing update (dev)", "The plan cannot be read"],
  ["no such plan", ["--plan", "none.json"], "", "none.json cannot be read"],
  ["no such policy file", ["--policy", "none.yaml"], "", "none.yaml cannot be read"],
  ["two plans", ["--plan", "plan.json", "--stack", "dev"], "", "--plan and --stack exclude each other"],
  ["a state beside a stack", ["--state", "state.json", "--stack", "dev"], "", "--state and --stack exclude each other"],
  ["arguments without a stack", ["--", "--target", "x"], "", "Arguments for pulumi (--target x) need --stack"],
  ["another form", ["--format", "yaml"], "", "Allowed choices are terminal, markdown, json, html"],
])("review: %s is explained, with exit code 1", async (_what, args, input, expected) => {
  const { code, stdout, stderr } = await command(["review", ...args], Readable.from([input]));
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^error: /);
  expect(stderr).toContain(expected);
});

test("with a terminal as input, it prints what to do and does not wait", async () => {
  const { code, stderr } = await command(
    ["review"],
    Object.assign(new Readable({ read: () => undefined }), { isTTY: true }),
  );
  expect([code, stderr]).toEqual([1, expect.stringContaining("pulumi preview --json | npx pulumi-perimeter review")]);
});

test("the error for a mistake in the policy file names the property", async () => {
  const policy = file("rules.yaml", "version: 1\nforbiddenRoles: [{roles: [roles/owner]}]");
  const { code, stderr } = await command(["review", "--policy", policy]);
  expect([code, stderr]).toEqual([1, `error: ${policy}: forbiddenRoles[0].reason is required\n`]);
});

test("access: prints who has access now, and the changes since an earlier result", async () => {
  const earlier = path.join(folder, "monday.json");
  const store = await startEmulator({ seed: demoSeed });
  const options = { environment: store.env, screen: {}, writeError: () => undefined };
  let stdout = "";
  const access = (...args: string[]) =>
    run(["node", "perimeter", "access", ...args], { ...options, write: (text) => (stdout += text) });
  try {
    expect(await access(STORE)).toBe(0);
    expect(stdout).toMatch(/^4 grants on 1 resource/);
    expect(await access(STORE, "--format", "json", "--output", earlier)).toBe(0);
    expect(await access("--diff", earlier)).toBe(0);
    store.mutate(STORE, { policy: { bindings: [{ role: READER, members: ["user:grace@example.com"] }] } });
    stdout = "";
    expect(await access("--diff", earlier)).toBe(2);
    expect(stdout).toContain("- user:ada@example.com");
  } finally {
    await store.stop();
  }
});

describe("access: an answer of one cloud", () => {
  let [one, other]: [Emulator?, Emulator?] = [];
  let stderr = "";
  const access = (cloud: Emulator | undefined, ...args: string[]) =>
    run(["node", "perimeter", "access", ...args], {
      environment: cloud?.env ?? {},
      screen: {},
      write: () => undefined,
      writeError: (text) => (stderr += text),
    });
  beforeEach(async () => {
    stderr = "";
    [one, other] = [await startEmulator({ seed: demoSeed }), await startEmulator({ seed: demoSeed })];
  });
  afterEach(() => Promise.all([one?.stop(), other?.stop()]));

  test("is compared with another cloud on demand only", async () => {
    const earlier = path.join(folder, "other-cloud.json");
    expect(await access(one, STORE, "--output", earlier)).toBe(0);
    expect(await access(other, "--diff", earlier)).toBe(3);
    expect(await access(other, "--diff", earlier, "--any-endpoint")).toBe(0);
    expect(stderr).toBe("");
    expect(await access(other, STORE, "--any-endpoint")).toBe(1);
    expect(stderr).toContain("--any-endpoint needs --diff or --expect");
  });

  test("comes with a seed of the resources, also without a stack", async () => {
    const seed = path.join(folder, "seed.json");
    expect(await access(one, STORE, "--seed", seed)).toBe(0);
    expect(stderr).toBe(`${seed} has 3 resources: npx pulumi-perimeter emulator --seed ${seed}\n`);
    expect(JSON.parse(fs.readFileSync(seed, "utf8"))).toContainEqual(expect.objectContaining({ name: STORE }));
  });
});

test("--mask-principals hides names in the answer and the warnings; the rules compare the real names", async () => {
  const plan = file("plan.json", deleting("user:ada@example.com"));
  const masked = path.join(folder, "masked.json");
  const allow = ["--allow-loss", "user:ada@example.com", "--allow-loss", "user:bob@example.com"];
  const state = stateOf(fs.readFileSync(plan, "utf8"));
  const review = ["review", "--plan", plan, ...state, "--mask-principals", ...allow];
  const { code, stdout, stderr } = await command(review);
  expect(code).toBe(0);
  expect(stdout).toMatch(/- user:a…\d+@example\.com/);
  expect(stdout + stderr).not.toMatch(/ada@|bob@|clinicians@/);
  expect(stderr).toMatch(/^warning: --allow-loss user:b…@example\.com names no principal/);

  expect((await command([...review, "--output", masked])).code).toBe(0);
  expect(await command(["access", "--diff", masked])).toEqual({
    code: 1,
    stdout: "",
    stderr: `error: ${masked} cannot be compared: it was written with --mask-principals. Write one without that option\n`,
  });
});

test("--mask-principals hides names in errors", async () => {
  const policy = file("rules.yaml", "version: 1\nforbiddenRoles: user:ada@example.com");
  const { code, stderr } = await command(["review", "--policy", policy, "--mask-principals"]);
  expect(code).toBe(1);
  expect(stderr).not.toContain("ada@");

  const missing = path.join(folder, "grace-hopper.json");
  const review = ["review", "--plan", missing, "--mask-principals", "--allow-loss", "user:grace.hopper@example.com"];
  expect((await command(review)).stderr).toMatch(/^error: .*g….json/);
});

test("a message cannot control the terminal, and is no command of a log", async () => {
  const plan = path.join(folder, "a\u001b[2J\u009b31m\n::error::x\r\n  ::add-mask::y ##[set-output name=a;]b");
  const { code, stderr } = await command(["review", "--plan", plan]);
  expect(code).toBe(1);
  expect(stderr).toContain(
    "a\\u{1b}[2J\\u{9b}31m\n\\u{3a}:error::x\n  \\u{3a}:add-mask::y ##\\u{5b}set-output name=a;]b",
  );
});

test("--mask-service-accounts masks people, too", async () => {
  const account = "serviceAccount:deployer@demo-project.iam.gserviceaccount.com";
  const plan = file("plan.json", creating(account));
  const people = await command(["review", "--plan", plan, "--mask-principals"]);
  expect(people.stdout).toContain(account);
  const all = await command(["review", "--plan", plan, "--mask-service-accounts"]);
  expect(all.stdout).toMatch(/serviceAccount:d…\d+@demo-project\.iam\.gserviceaccount\.com/);
  expect(all.stdout).not.toMatch(/deployer|ada@/);
});

test.each<[string, string[], string]>([
  ["nothing to look at", [], "Name a RESOURCE, a stack (--stack dev), or a file with an earlier result"],
  ["a name of something else", ["records"], "or the name of a migration job"],
  ["no earlier answer", ["--diff", "package.json"], "is not what `perimeter access --format json`"],
])("access: %s is explained, with exit code 1", async (_what, args, expected) => {
  const { code, stderr } = await command(["access", ...args]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(expected)]);
});

test("the help of review and access has examples and the exit codes", async () => {
  const twos = { review: "  2  somebody loses access", access: "  2  somebody lost access since the earlier answer" };
  for (const [name, two] of Object.entries(twos)) {
    const { code, stdout } = await command([name, "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`npx pulumi-perimeter ${name} --stack dev`);
    expect(stdout).toContain(two);
    expect(stdout).not.toContain("[]");
  }
});
