/** A review of several stacks of a repository in one answer, on the real engine. */
import { byEffect } from "../../support/answers";
import * as fs from "node:fs";
import * as path from "node:path";
import { startEmulator, type Emulator } from "../../../emulator";
import type { Answer } from "../../../access";
import { runCommand } from "../../support/command";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { skipped } from "../../support/skipped";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const describeHere = missing === undefined ? describe : describe.skip;

const TOPIC = "//pubsub.googleapis.com/projects/demo-project/topics/orders";
const PUBLISHER = "roles/pubsub.publisher";
const SUBSCRIPTION = TOPIC.replace("topics/orders", "subscriptions/audit");
const [ADA, BOB, CYD, EVE] = ["ada", "bob", "cyd", "eve"].map((name) => `user:${name}@example.com`) as [
  string,
  string,
  string,
  string,
];

const binding = (...members: string[]) => ({
  type: "perimeter:iam/v1:ResourceIamBinding",
  properties: { resource: TOPIC, role: PUBLISHER, members },
});
const member = (member: string, role = PUBLISHER, resource = TOPIC) => ({
  type: "perimeter:iam/v1:ResourceIamMember",
  properties: { resource, role, member },
});

describeHere(`several stacks${skipped(missing)}`, () => {
  let emulator: Emulator;
  let root: EngineProject;
  /** A review of all resources, with the files that it wrote. */
  let first: Awaited<ReturnType<typeof answers>>;
  const [approved, sarif, comment] = ["approved.json", "review.sarif", "comment.md"].map(
    (name) => () => path.join(root.dir, name),
  ) as [() => string, () => string, () => string];

  beforeAll(async () => {
    const seed = [
      {
        service: "pubsub",
        name: "projects/demo-project/topics/orders",
        policy: { bindings: [{ role: PUBLISHER, members: [BOB] }] },
      },
      { service: "pubsub", name: "projects/demo-project/subscriptions/audit" },
      { service: "cloudresourcemanager", name: "projects/demo-project" },
    ];
    emulator = await startEmulator({ seed });
    root = await EngineProject.create({
      program: { "Pulumi.yaml": JSON.stringify({ name: "root", runtime: "yaml" }) },
      env: emulator.env,
      path: [pluginFolder()],
      nodeModules: "none",
    });
    fs.mkdirSync(path.join(root.dir, ".git"));
    declareFirst();
    for (const name of ["network", "data"]) root.addStack(`infra/${name}`, "prod");
    emulator.clearRequests();
    first = await answers("--all", "--output", approved(), "--output", sarif(), "--output", comment());
  });

  afterAll(async () => {
    await emulator?.stop();
    await root?.dispose();
  });

  const program = (name: string, resources: object, more: Record<string, string> = {}) => {
    const text = `name: ${name}\nruntime: yaml\nresources:\n${Object.entries(resources)
      .map(([key, value]) => `  ${key}: ${JSON.stringify(value)}\n`)
      .join("")}`;
    root.writeFiles({
      [`infra/${name}/Pulumi.yaml`]: Object.keys(resources).length === 0 ? `name: ${name}\nruntime: yaml\n` : text,
    });
    root.writeFiles(
      Object.fromEntries(Object.entries(more).map(([file, content]) => [`infra/${name}/${file}`, content])),
    );
  };
  const audit = member(CYD, "roles/pubsub.viewer", SUBSCRIPTION);
  const declareFirst = () => {
    program("network", { publishers: binding(EVE) });
    program("data", { reader: member(ADA, "roles/pubsub.viewer"), audit });
  };
  const BOTH = ["--stack", "infra/network/prod", "--stack", "infra/data/prod"];
  const run = (...args: string[]) => runCommand(["review", ...BOTH, ...args], { cwd: root.dir, env: root.env });
  const answers = async (...args: string[]) => {
    const file = path.join(root.dir, "answer.json");
    const end = await run("--output", "-", "--output", file, ...args);
    const result = JSON.parse(fs.readFileSync(file, "utf8")) as Answer;
    return { ...end, result, requests: emulator.requests() };
  };

  describe("a review of all resources", () => {
    test("counts who loses and who gains access in all stacks, and ends with the worst exit code", () => {
      expect(first.code).toBe(2);
      expect(first.stdout).toMatch(/^1 principal loses access, 3 gain on 2 resources\./);
      expect(first.stdout).toContain("Exit code of network/prod: 2; of data/prod: 0");
    });

    test("says the stack and the line of each change", () => {
      expect(first.stdout).toContain(`- ${BOB}  ${PUBLISHER}`);
      expect(first.stdout).toMatch(/stack network\/prod/);
      expect(first.stdout).toMatch(/by publishers \(ResourceIamBinding\) at infra\/network\/Pulumi.yaml:4/);
      expect(first.stdout).toMatch(/by reader \(ResourceIamMember\) at infra\/data\/Pulumi.yaml:4/);
    });

    test("reads each policy once", () => {
      const reads = first.requests.filter(
        ({ id, path: at }) => id?.endsWith("getIamPolicy") && !at.includes("subscriptions/"),
      );
      // Each of the two previews reads the topic's policy, too.
      expect(reads.filter(({ id }) => id?.startsWith("cloudresourcemanager"))).toHaveLength(1);
      expect(reads.filter(({ id }) => id?.startsWith("pubsub"))).toHaveLength(3);
    });

    test("has the changes and the verdict of each stack in its JSON", () => {
      const { stacks } = first.result;
      const stackOf = (project: string, exitCode: number) => ({
        project,
        stack: "prod",
        verdict: { exitCode, rules: null },
      });
      expect(stacks).toMatchObject([stackOf("network", 2), stackOf("data", 0)]);
      expect(stacks.map(({ resources }) => resources.map(({ changes }) => changes.length))).toEqual([[2], [1, 1]]);
      expect(stacks.map(({ verdict }) => byEffect(verdict).violations)).toMatchObject([
        [{ rule: "loss", principal: BOB }],
        [],
      ]);
    });

    test("has a column of stacks in its comment", () => {
      expect(fs.readFileSync(comment(), "utf8")).toMatch(
        /^<!-- perimeter-review: stacks -->[^]*\| Condition \| Stack \|\n[^]*bob@example\.com[^\n]*\| `network\/prod` \|\n/,
      );
    });

    test("keeps the alerts of each stack apart for code scanning", () => {
      const { runs } = JSON.parse(fs.readFileSync(sarif(), "utf8")) as { runs: object[] };
      const file = { artifactLocation: { uri: "infra/network/Pulumi.yaml" } };
      expect(runs).toMatchObject([
        {
          automationDetails: { id: "perimeter-review/network/prod/" },
          results: [{ ruleId: "loss", locations: [{ physicalLocation: file }] }],
        },
        { automationDetails: { id: "perimeter-review/data/prod/" }, results: [] },
      ]);
    });
  });

  test("the rules of a stack are those of its project and of the folders above", async () => {
    const allowing = `version: 1\nallowLoss:\n  - principals: ["${BOB}"]\n    reason: leaves\n`;
    program("network", { publishers: binding(EVE) }, { ".perimeter-review.yaml": allowing });
    program(
      "data",
      { reader: member(ADA, "roles/pubsub.viewer") },
      { ".perimeter-review.yaml": "version: 1\ngains: fail\n" },
    );
    const { stdout, result } = await answers();
    const rulesOf = (name: string) => `infra/${name}/.perimeter-review.yaml`;
    expect(result.stacks.map(({ verdict }) => byEffect(verdict))).toMatchObject([
      { exitCode: 0, rules: rulesOf("network"), violations: [] },
      { exitCode: 2, rules: rulesOf("data"), violations: [{ rule: "gain", principal: ADA }] },
    ]);
    expect(result.exitCode).toBe(2);
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
      /rules of network\/prod: infra\/network\/.perimeter-review.yaml; rules of data\/prod: infra/,
    );
    for (const name of ["network", "data"]) fs.rmSync(path.join(root.dir, `infra/${name}/.perimeter-review.yaml`));
  });

  test("two stacks that write one role are named, and what depends on their order is unknown", async () => {
    program("network", { publishers: binding(BOB, EVE) });
    program("data", { orders: member(ADA), bob: member(BOB) });
    const { result } = await answers();
    expect(result.notes).toContainEqual(
      expect.stringMatching(
        /^publishers of network\/prod owns roles\/pubsub.publisher of .*, and bob of data\/prod, orders/,
      ),
    );
    expect(result.notes).toContainEqual(
      expect.stringMatching(/^publishers of network\/prod and bob of data\/prod declare the same grant/),
    );
    expect(result.stacks.flatMap(({ unknown }) => unknown)).toMatchObject([
      { code: "no order", message: expect.stringMatching(/after the updates of both stacks: publishers of network/) },
    ]);
    expect(result.exitCode).toBe(3);
  });

  test("an approved review of several stacks is that of each, before the updates", async () => {
    declareFirst();
    expect((await answers("--expect", approved())).result.exitCode).toBe(0);
  });

  describe("after the updates", () => {
    const kept = { reader: member(ADA, "roles/pubsub.viewer"), audit, eve: member(EVE) };

    beforeAll(async () => {
      declareFirst();
      for (const name of ["network", "data"]) await update(name);
    });

    const update = (name: string) =>
      root.run(["up", "--yes", "--skip-preview", "--stack", "prod", "--cwd", `infra/${name}`]);
    const access = (name: string, ...args: string[]) =>
      runCommand(["access", "--stack", "prod", "--expect", approved(), ...args], {
        cwd: path.join(root.dir, "infra", name),
        env: root.env,
      });

    // The stacks grant roles on one topic. What the review says about the other stack is expected, too.
    test.each(["network", "data"])("the access of the stack %s is as the approved review expected", async (name) => {
      expect(await access(name)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("The access is as the review expected"),
      });
    });

    test("some resources of a stack are compared by their names", async () => {
      const selected = await access("data", "*/subscriptions/*");
      expect(selected).toMatchObject({ code: 0, stdout: expect.stringContaining(CYD) });
      expect(selected.stdout).not.toContain(ADA);
      expect(selected.stdout).toContain("Not read: 1 resource of the stack that no RESOURCE names");
    });

    test("a name that no resource of the stack has is an error", async () => {
      expect(await access("data", "*/snapshots/*")).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/The stack prod has no such resource: RESOURCE must match .* got "\*\/snapshots/),
      });
    });

    test("a change that the approved review does not have is a violation", async () => {
      program("data", { reader: member(EVE, "roles/pubsub.viewer"), audit });
      const { stacks } = (await answers("--expect", approved())).result;
      expect(stacks.flatMap(({ verdict }) => byEffect(verdict).violations)).toMatchObject([
        { rule: "expected", principal: ADA },
        { rule: "expected", principal: EVE },
      ]);
    });

    describe("when one removes a grant that another one has", () => {
      let removal: Answer;
      let race: Answer;

      beforeAll(async () => {
        program("data", kept);
        await update("data");
        const allowing = `version: 1\nallowLoss:\n  - principals: ["${EVE}"]\n    reason: moves\n`;
        program("network", {}, { ".perimeter-review.yaml": allowing });
        removal = (await answers()).result;
        program("data", { ...kept, other: member(EVE) });
        race = (await answers()).result;
        fs.rmSync(path.join(root.dir, "infra/network/.perimeter-review.yaml"));
      });

      test("both stacks lose it, and the rules of each judge that", () => {
        const lost = { change: "lost", principal: EVE, role: PUBLISHER };
        expect(removal.stacks).toMatchObject([
          { project: "network", resources: [{ resource: TOPIC, changes: [lost] }], verdict: { exitCode: 0 } },
          { project: "data", resources: [{ resource: TOPIC, changes: [lost] }], verdict: { exitCode: 2 } },
        ]);
        expect(removal.stacks.map(({ verdict }) => byEffect(verdict).violations)).toMatchObject([
          [],
          [{ rule: "loss", principal: EVE }],
        ]);
      });

      test("a note names both resources", () => {
        expect(removal.notes).toContainEqual(
          expect.stringMatching(/^publishers of network\/prod removes from .* what eve of data\/prod declares/),
        );
      });

      test("it is unknown what stays where a new resource of the other stack declares it", () => {
        const message = expect.stringMatching(/publishers of network\/prod removes what other of data\/prod/) as string;
        expect(race.stacks).toMatchObject([
          { unknown: [], verdict: { exitCode: 0 } },
          { unknown: [{ code: "no order", message }], verdict: { exitCode: 2 } },
        ]);
      });
    });
  });

  test("a stack that does not exist, and one that is named twice, are one clear error", async () => {
    emulator.clearRequests();
    const missingStack = runCommand(["review", "--stack", "infra/network/none", "--stack", "infra/data/prod"], {
      cwd: root.dir,
      env: root.env,
    });
    expect(await missingStack).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/no stack named 'none'/),
    });
    const twice = await runCommand(["review", "--stack", "infra/data/prod", "--stack", "infra/data/prod"], {
      cwd: root.dir,
      env: root.env,
    });
    expect(twice).toMatchObject({ code: 1, stderr: expect.stringMatching(/infra\/data\/prod/) });
  });
});
