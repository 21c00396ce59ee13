/** Where the command writes its result, and in which forms. */
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../emulator";
import { COMMAND_FORMS, runCommand, spawnCommand, type CommandEnd } from "../tests/support/command";
import { deleting, STORE } from "../tests/support/grant-plans";
import { casesHere } from "../tests/support/test-all";
import { elementsIn } from "../tests/support/xml";
import { writeAtomically } from "./files";

let emulator: Emulator;
let folder: string;
beforeAll(async () => {
  emulator = await startEmulator({ seed: demoSeed });
});
afterAll(() => emulator.stop());
beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "perimeter-outputs-")));
  file("plan.json", deleting("user:ada@example.com"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string): void {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), content);
}
const read = (name: string) => fs.readFileSync(path.join(folder, name), "utf8");
const places = () => ({ cwd: folder, env: { HOME: folder, ...emulator.env } });

/** The command in this process, which is faster. */
const review = (...args: string[]) => runCommand(["review", "--plan", "plan.json", ...args], places());

interface SarifLog {
  runs: { results: { locations: { physicalLocation: { artifactLocation: { uri: string } } }[] }[] }[];
}
const pathIn = (codeQuality: string) => (JSON.parse(codeQuality) as { location: { path: string } }[])[0]?.location.path;
const uriIn = (sarif: string) =>
  (JSON.parse(sarif) as SarifLog).runs[0]?.results[0]?.locations[0]?.physicalLocation.artifactLocation.uri;

test.each(COMMAND_FORMS)(
  "one run of %s writes several forms and reads each policy once",
  async (form) => {
    const outputs = [
      "markdown=comment.txt",
      "sarif=review.json",
      "junit.xml",
      "codequality=quality.json",
      "review.html",
      "terminal=-",
    ];
    const before = emulator.requests().length;
    const args = ["review", "--plan", "plan.json", ...outputs.flatMap((each) => ["--output", each])];
    const { code, stdout, stderr } = await spawnCommand(args, { ...places(), form });
    expect([code, stderr]).toEqual([2, ""]);
    expect(stdout).toMatch(/^1 principal loses access/);
    expect(read("comment.txt")).toMatch(/^<!-- perimeter-review: /);
    expect(JSON.parse(read("review.json"))).toMatchObject({ version: "2.1.0" });
    expect(elementsIn(read("junit.xml")).length).toBeGreaterThan(3);
    expect(JSON.parse(read("quality.json"))).toMatchObject([{ check_name: "perimeter/loss" }, {}]);
    expect(read("review.html")).toMatch(/^<!doctype html>/i);
    const visible = fs.readdirSync(folder).filter((name) => !name.startsWith("."));
    expect(visible.sort()).toEqual([
      "comment.txt",
      "junit.xml",
      "plan.json",
      "quality.json",
      "review.html",
      "review.json",
    ]);
    const ofStore = emulator
      .requests()
      .slice(before)
      .filter(({ path: at }) => at.includes(`${STORE}:getIamPolicy`));
    expect(ofStore).toHaveLength(1);
  },
  60_000,
);

test.each([
  ["sarif", /^\{\n {2}"\$schema": "https:\/\/json\.schemastore\.org\/sarif-2\.1\.0\.json"/],
  ["junit", /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites /],
  ["github", /^1 principal loses access.*\n::error title=Access review of an update%3A clinic\/dev%3A loss::user:ada@/],
  ["codequality", /^\[\n {2}\{\n {4}"description": "user:ada@/],
])("--format %s prints the form", async (format, expected) => {
  const { code, stdout } = await review("--format", format);
  expect([code, stdout]).toEqual([2, expect.stringMatching(expected)]);
});

test("access has the same forms", async () => {
  const access = (format: string) => runCommand(["access", STORE, "--format", format], places());
  expect(await access("junit")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("4 grants on 1 resource") as string,
  });
  expect(JSON.parse((await access("sarif")).stdout)).toMatchObject({
    runs: [{ automationDetails: { id: "perimeter-access/" }, results: [] }],
  });
});

test("--format is the form of the outputs that name none; an ending counts without it", async () => {
  await review("--format", "json", "--output", "a.md", "--output", "markdown=b.txt");
  expect(JSON.parse(read("a.md"))).toMatchObject({ version: 1 });
  expect(read("b.txt")).toMatch(/^<!-- /);
  await review("--output", "c.sarif.json", "--output", "d.SARIF", "--output", "./x=y.json");
  for (const name of ["c.sarif.json", "d.SARIF"]) expect(JSON.parse(read(name))).toMatchObject({ version: "2.1.0" });
  expect(JSON.parse(read("x=y.json"))).toMatchObject({ version: 1 });
});

test("--mask-principals masks all forms", async () => {
  const outputs = ["a.sarif", "b.xml"].flatMap((each) => ["--output", each]);
  expect((await review("--mask-principals", ...outputs)).code).toBe(2);
  for (const name of ["a.sarif", "b.xml"]) {
    expect(read(name)).not.toContain("ada@");
    expect(read(name)).toMatch(/user:a…\d+@example\.com loses/);
  }
});

test("a result without a line is at the project's file, from the root of the repository", async () => {
  expect(uriIn((await review("--format", "sarif")).stdout)).toBe("Pulumi.yaml");
  file(".git/HEAD", "");
  file("infra/prod/Pulumi.yml", "name: clinic");
  file("infra/prod/src/plan.json", read("plan.json"));
  const place = { ...places(), cwd: path.join(folder, "infra/prod/src") };
  const inSource = async (format: string) =>
    (await runCommand(["review", "--plan", "plan.json", "--format", format], place)).stdout;
  expect(uriIn(await inSource("sarif"))).toBe("infra/prod/Pulumi.yml");
  expect(pathIn(await inSource("codequality"))).toBe("infra/prod/Pulumi.yml");
});

describe("before any request and any run of pulumi, an error explains", () => {
  beforeEach(() => {
    file("bin/pulumi", `#!/bin/sh\necho ran > ${folder}/ran\n`);
    fs.chmodSync(path.join(folder, "bin/pulumi"), 0o755);
    fs.mkdirSync(path.join(folder, "taken"));
    fs.symlinkSync(folder, path.join(folder, "here"));
    file("present.md", "earlier");
  });

  /** A review of a stack, whose preview would run the `pulumi` above. It may remove its own output `present.md`. */
  async function refused(run: () => Promise<CommandEnd>): Promise<string> {
    const files = () => fs.readdirSync(folder).filter((each) => each !== "present.md");
    const before = [emulator.requests().length, files()];
    const { code, stdout, stderr } = await run();
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
    expect([emulator.requests().length, files()]).toEqual(before);
    return stderr;
  }
  const environment = () => ({ ...places().env, PATH: `${folder}/bin:${process.env.PATH}` });
  const stack = (...outputs: string[]) => [
    ...["review", "--stack", "dev"],
    ...outputs.flatMap((each) => ["--output", each]),
  ];

  test.each<[string, string[], string]>([
    [
      "an unknown form",
      ["present.md", "yaml=a.yaml"],
      '"yaml" is not a form: terminal, markdown, json, html, sarif, junit, github, codequality',
    ],
    ["a form without a file", ["sarif="], "It must name a file"],
    ["a folder that does not exist", ["present.md", "none/a.md"], "none/a.md cannot be written: ENOENT"],
    ["a file in place of the folder", ["present.md", "plan.json/a.md"], "plan.json/a.md cannot be written: ENOTDIR"],
    ["a folder", ["present.md", "sarif=taken"], "taken cannot be written: it is a folder; name a file in it"],
    ["a device", ["/dev/null"], "/dev/null cannot be written: it is a device or a pipe"],
    [
      "the same file twice",
      ["present.md", "json=./present.md"],
      "--output names ./present.md twice: name another file",
    ],
    ["the same file by a link", ["present.md", "here/present.md"], "--output names here/present.md twice"],
    ["standard output twice", ["-", "json=-"], "--output names standard output (-) twice"],
  ])("%s", async (_what, outputs, expected) => {
    const run = () => runCommand(stack(...outputs), { cwd: folder, env: environment() });
    expect(await refused(run)).toContain(expected);
  });

  const forms = casesHere(COMMAND_FORMS, (form) => form === "the npm package");
  test.each(forms)(
    "an unknown form and a bad path, in a process of %s",
    async (form) => {
      const run = (output: string) => () => spawnCommand(stack(output), { cwd: folder, env: environment(), form });
      expect(await refused(run("xml=a.xml"))).toContain('"xml" is not a form');
      expect(await refused(run("sarif=none/a.sarif"))).toContain("none/a.sarif cannot be written: ENOENT");
      // The plan would come from this pulumi: the test could see it run.
      await spawnCommand(stack("a.md"), { cwd: folder, env: environment(), form });
      expect(fs.existsSync(path.join(folder, "ran"))).toBe(true);
    },
    60_000,
  );

  test.each([
    ["--adopt", ["--adopt", "present.md", "--output", "present.md"]],
    ["--seed", ["--seed", "present.md", "--output", "markdown=present.md"]],
  ])("access: one file for --output and %s", async (option, args) => {
    const run = () => runCommand(["access", "--stack", "dev", ...args], { cwd: folder, env: environment() });
    expect(await refused(run)).toContain(`--output and ${option} name present.md: name another file`);
  });
});

/** A committed file, or one of an earlier run, in the place of each output. */
const OLD = "of another run";
const there = (name: string) => fs.lstatSync(path.join(folder, name), { throwIfNoEntry: false }) !== undefined;

test.each<[string, string[]]>([
  ["a broken plan", ["review", "--plan", "broken.json"]],
  ["a plan that does not exist", ["review", "--plan", "absent.json"]],
  ["a plan that is an empty pipe", ["review"]],
  ["options that exclude each other", ["review", "--plan", "plan.json", "--stack", "dev"]],
  ["broken rules", ["review", "--plan", "plan.json", "--policy", "broken.json"]],
  ["no review to compare with", ["review", "--plan", "plan.json", "--expect", "absent.json"]],
  ["no git repository for the rules", ["review", "--plan", "plan.json", "--policy-from", "main"]],
  ["a project that is broken", ["review", "--stack", "dev"]],
  ["another output that cannot be written", ["review", "--plan", "plan.json", "--output", "none/a.md"]],
  ["another output that is a folder", ["review", "--output", "taken", "--plan", "plan.json"]],
  ["an output that is an input", ["review", "--plan", "plan.json", "--output", "plan.json"]],
  ["access without a name", ["access"]],
  ["access of a broken earlier answer", ["access", STORE, "--diff", "broken.json"]],
  ["access of a project that is broken", ["access", "--stack", "dev", "--adopt", "adopt.json", "--seed", "seed.yaml"]],
])("after %s, no earlier answer is left in the place of an output", async (_what, args) => {
  for (const name of ["broken.json", "Pulumi.yaml"]) file(name, "{ broken");
  fs.mkdirSync(path.join(folder, "taken"));
  for (const name of ["old.json", "review.json", "junit.xml", "adopt.json", "seed.yaml"]) file(name, OLD);
  fs.symlinkSync("old.json", path.join(folder, "link.json"));
  fs.symlinkSync("absent", path.join(folder, "broken-link.json"));
  const outputs = ["review.json", "junit=junit.xml", "link.json", "broken-link.json"];
  const { code } = await runCommand([...args, ...outputs.flatMap((each) => ["--output", each])], places());
  expect(code).toBe(1);
  const written = ["review.json", "junit.xml", "link.json", "broken-link.json"];
  if (args.includes("--adopt")) written.push("adopt.json", "seed.yaml");
  expect(written.filter(there)).toEqual([]);
  expect([read("old.json"), there("plan.json"), there("taken")]).toEqual([OLD, true, true]);
});

test.each<[string, string[], string]>([
  ["--plan", ["review", "--plan", "input.json"], "input.json"],
  ["--plan", ["review", "--plan", "input.json"], "json=./link.json"],
  ["--plan", ["review", "--plan", "link.json"], "hard.json"],
  ["--state", ["review", "--plan", "plan.json", "--state", "input.json"], "input.json"],
  ["--expect", ["review", "--plan", "plan.json", "--expect", "input.json"], "input.json"],
  ["--policy", ["review", "--plan", "plan.json", "--policy", "input.json"], "input.json"],
  ["--diff", ["access", STORE, "--diff", "input.json"], "input.json"],
  ["--expect", ["access", "--stack", "dev", "--expect", "input.json"], "input.json"],
  ["--policy", ["access", STORE, "--policy", "input.json"], "input.json"],
  ["a policy file", ["review", "--plan", "plan.json"], ".perimeter-review.json"],
  ["a policy file", ["access", STORE], "json=.perimeter-review.yaml"],
])("an output never replaces what the command reads: %s", async (what, args, output) => {
  for (const name of ["input.json", ".perimeter-review.json", ".perimeter-review.yaml"]) file(name, OLD);
  fs.symlinkSync("input.json", path.join(folder, "link.json"));
  fs.linkSync(path.join(folder, "input.json"), path.join(folder, "hard.json"));
  const files = fs.readdirSync(folder);
  const { code, stderr } = await runCommand([...args, "--output", output], places());
  expect([code, stderr]).toEqual([1, expect.stringMatching(new RegExp(`^error: .*${what}.*: name another file\n$`))]);
  expect([read("input.json"), fs.readdirSync(folder)]).toEqual([OLD, files]);
});

test("if one of several files cannot be written, no file is replaced and nothing is left behind", () => {
  file("a.md", "earlier");
  const files = [
    { path: path.join(folder, "a.md"), text: "new" },
    { path: path.join(folder, "none/b.md"), text: "new" },
  ];
  expect(() => writeAtomically(files)).toThrow(/none\/b\.md cannot be written: ENOENT/);
  expect(read("a.md")).toBe("earlier");
  expect(fs.readdirSync(folder).sort()).toEqual(["a.md", "plan.json"]);
});
