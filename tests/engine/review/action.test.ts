/**
 * The action that the repository publishes for GitHub, action.yml: its steps run with the packed package, the real
 * engine, and a server in place of GitHub's API. What the steps do with an answer is tested with the command in this
 * process, which reviews a plan that was made before, and with answers that are replayed.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { parse } from "yaml";
import { answerSchema } from "../../../access/result/result";
import { emptyAnswer } from "../../support/answers";
import type { DocumentedStack } from "../../support/documented-stack";
import { ENGINE_TIMEOUT_MS, missingHost, repositoryRoot } from "../../support/engine";
import type { Releases } from "../../support/image-path";
import { GitHub, runAction, type ActionRun, type Post } from "../../support/github";
import { skipped } from "../../support/skipped";
import { FAILURE, PublishedJobs, review, type Answer, type Replayed } from "./published-jobs";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const FILE = path.join(repositoryRoot, "action.yml");

(missing === undefined ? describe : describe.skip)(`action.yml${skipped(missing)}`, () => {
  let jobs: PublishedJobs;
  let scene: DocumentedStack;
  let gitHub: GitHub;
  beforeAll(async () => {
    jobs = await PublishedJobs.create();
    scene = jobs.scene;
  });
  beforeEach(async () => {
    gitHub = await GitHub.start();
  });
  afterEach(() => gitHub.stop());
  afterAll(() => jobs?.dispose());

  const fileOf = (name: string) => jobs.fileOf(name);

  const access = (text: string, code: 0 | 2 | 3 = 2): Replayed => ({
    code,
    text,
    json: JSON.stringify(emptyAnswer(text, { exitCode: code, operation: "access" })),
  });

  /** The annotations in a log: level, place, rule and text. */
  const annotationsIn = (log: string) =>
    [
      ...log.matchAll(
        /^::(error|warning|notice) (.*?)title=Access review of an update%3A clinic\/dev%3A (\w+)::(.*)$/gm,
      ),
    ].map(([, ...parts]) => parts);

  /** Runs the action. */
  const act = (
    inputs: Record<string, string>,
    answer?: Answer,
    values: Record<string, string> = {},
    { name = "pull_request", ...event }: { name?: string } & Record<string, unknown> = {},
    more: Record<string, string> = {},
  ) => {
    const PATH = jobs.pathWith(answer);
    const { commit: sha, target: ref } = gitHub.head;
    const pullRequest = { pull_request: { number: 7, head: { sha }, base: { ref } } };
    const started = name.startsWith("pull_request") ? pullRequest : event;
    fs.writeFileSync(fileOf("event.json"), JSON.stringify(started));
    return runAction({
      file: FILE,
      inputs: { stack: "dev", ...inputs },
      values: {
        "github.token": GitHub.token,
        "github.event.pull_request.number": "7",
        "github.event.pull_request.head.repo.full_name": GitHub.repository,
        "github.event.merge_group.base_ref": "",
        "github.event.repository.default_branch": "main",
        "github.event.pull_request.base.ref": "main",
        "github.workflow": "CI -->",
        "github.job": "review",
        "strategy.job-index": "0",
        "runner.temp": fileOf("temp"),
        ...values,
      },
      outputFile: fileOf("outputs"),
      shell: (script, env) =>
        scene.shell(script, {
          PATH,
          GITHUB_ACTIONS: "true",
          GITHUB_ACTION_PATH: repositoryRoot,
          GITHUB_EVENT_NAME: name,
          GITHUB_EVENT_PATH: fileOf("event.json"),
          GITHUB_WORKSPACE: scene.project.dir,
          GITHUB_API_URL: gitHub.url,
          GITHUB_REPOSITORY: GitHub.repository,
          GITHUB_SERVER_URL: "https://github.com",
          GITHUB_RUN_ID: "42",
          GITHUB_STEP_SUMMARY: fileOf("summary.md"),
          ...more,
          ...env,
        }),
    });
  };

  describe("with the packed command and the comments of others", () => {
    let first: ActionRun;
    let comment: Post | undefined;
    /** What the first run leaves: the comments after those of others, and the job summary. */
    let left: { posts: Post[]; summary: string };
    let second: ActionRun & { posts: Post[]; given: string | undefined };
    let others: { before: Post[]; after: Post[] };
    beforeAll(async () => {
      gitHub = await GitHub.start();
      try {
        for (let each = 0; each < 120; each += 1) gitHub.post({ parent: "7", body: "built" });
        // The answer about another stack, and what only begins like an answer.
        for (const about of ["access: clinic/dev -->", "review: clinic/dev2 -->", "review: clinic/dev --> quoted"])
          gitHub.post({ parent: "7", body: `<!-- perimeter-${about}\nanother` });
        const before = structuredClone(gitHub.posts);
        const own = () => structuredClone(gitHub.posts.slice(before.length));
        fs.rmSync(fileOf("summary.md"), { force: true });
        first = await act({});
        left = { posts: own(), summary: fs.readFileSync(fileOf("summary.md"), "utf8") };
        const run = await act({ arguments: "--allow-loss\nuser:bob@example.com" }, review("less"));
        second = { ...run, posts: own(), given: jobs.given };
        others = { before, after: gitHub.posts.slice(0, before.length) };
      } finally {
        await gitHub.stop();
      }
      [comment] = left.posts;
    });

    test("the gate fails for losses, after the report", () => {
      expect(first).toMatchObject({ code: 2, steps: ["Answer", "Report", "Gate"], outputs: { "exit-code": "2" } });
    });

    test("the outputs name the answer, its page and its SARIF file", () => {
      const { json = "", html = "", sarif = "" } = first.outputs;
      expect(answerSchema.parse(JSON.parse(fs.readFileSync(json, "utf8"))).exitCode).toBe(2);
      expect(fs.readFileSync(html, "utf8")).toMatch(/^<!doctype html>/i);
      expect(JSON.parse(fs.readFileSync(sarif, "utf8"))).toMatchObject({ version: "2.1.0" });
    });

    test("the log has an annotation of each loss, at its line of the program", () => {
      expect(annotationsIn(first.stdout)).toEqual([
        [
          "error",
          "file=Pulumi.yaml,line=13,",
          "loss",
          expect.stringMatching(/^serviceAccount:export-v1@.*%0Aby export/),
        ],
        ["error", "", "loss", expect.stringMatching(/^group:analysts@example\.com loses/)],
        ["error", "file=Pulumi.yaml,line=4,", "loss", expect.stringMatching(/^user:bob@example\.com keeps/)],
      ]);
    });

    test("the review becomes one comment on the pull request", () => {
      expect(left.posts.map(({ parent }) => parent)).toEqual(["7"]);
      expect(comment?.body).toMatch(/^<!-- perimeter-review: clinic\/dev -->\n### Access review: .*bob@example\.com/s);
    });

    test("the comment is the job summary, and names its commit and its run", () => {
      expect(comment?.body.startsWith(left.summary)).toBe(true);
      expect(comment?.body.slice(left.summary.length)).toMatch(/^\nAbout commit cafe420+, by \[this run\]/);
    });

    test("the next answer replaces the comment", () => {
      expect(second.code).toBe(2);
      expect(second.posts).toEqual([{ ...comment, body: expect.stringContaining("- less\n") }]);
    });

    test("the comments of others stay as they are", () => {
      expect(others.after).toEqual(others.before);
    });

    test("each line of the input arguments is an argument", () => {
      expect(second.given).toBe(
        "pulumi-perimeter review --stack dev --policy-from refs/remotes/origin/main --allow-loss user:bob@example.com",
      );
    });

    test("no error shows the token", () => {
      expect(first.stderr + second.stderr).not.toContain(GitHub.token);
    });
  });

  test("access is an issue that is open while something is wrong", async () => {
    const inputs = { command: "access", report: "issue" };
    expect(await act(inputs, access("known", 0), {}, { name: "schedule" })).toMatchObject({
      code: 0,
      outputs: { "exit-code": "0" },
    });
    expect(gitHub.posts).toEqual([]);
    expect((await act(inputs, access("unknown", 3))).code).toBe(3);
    expect((await act(inputs, access("still unknown", 3))).code).toBe(3);
    expect(gitHub.posts).toEqual([
      expect.objectContaining({
        state: "open",
        title: expect.stringMatching(/^Access/),
        body: expect.stringContaining("still unknown"),
      }),
    ]);
    expect((await act(inputs, access("known", 0))).code).toBe(0);
    expect(gitHub.posts).toEqual([expect.objectContaining({ state: "closed" })]);
  });

  test("both commands compare with the review that the action is given, which stays there", async () => {
    const approved = await act({ report: "none" }, review("{}"));
    expect(approved).toMatchObject({ code: 2, steps: ["Answer", "Gate"] });
    const { json = "" } = approved.outputs;
    const after = await act({ command: "access", expect: json, report: "none" }, access("not as expected"));
    expect(after).toMatchObject({ code: 2, steps: ["Answer", "Gate"], stderr: "" });
    expect(jobs.given).toBe(
      `pulumi-perimeter access --stack dev --policy-from refs/remotes/origin/main --expect ${json}`,
    );
    expect(fs.readFileSync(json, "utf8")).toBe(review("{}").json);
    expect(fs.readFileSync(fileOf("summary.md"), "utf8")).toContain("not as expected");
    expect(await act({ expect: json, report: "none" }, review("as approved", 0))).toMatchObject({
      code: 0,
      outputs: { "exit-code": "0" },
    });
    expect(jobs.given).toMatch(/ review .* --expect /);
  });

  /** The outputs of a run without an answer: `if: steps.review.outputs.json != ''` leaves out what needs one. */
  const NOTHING = { "exit-code": "", json: "", html: "", sarif: "" };

  test("a job that uses the action several times has the answer of each", async () => {
    const first = await act({ report: "none" }, review("first"));
    const second = await act({ report: "none" }, review("second"));
    expect((await act({ report: "none" }, FAILURE)).outputs).toEqual(NOTHING);
    for (const [{ outputs }, text] of [
      [first, "first"],
      [second, "second"],
    ] as const)
      for (const file of [outputs.json, outputs.html, outputs.sarif])
        expect(fs.readFileSync(file ?? "", "utf8")).toContain(text);
  });

  const FAILED =
    "<!-- perimeter-review: clinic/dev -->\n### Access review failed\n\nThere is no answer about `clinic/dev`: [the log of " +
    "the run](https://github.com/team/clinic/actions/runs/42) says why. An earlier answer does not count any more.\n\n" +
    `About commit ${"cafe42".padEnd(40, "0")}, by [this run](https://github.com/team/clinic/actions/runs/42).\n`;

  test.each([
    ["as most write it", undefined],
    ["with a quoted name and a comment", 'name: "clinic" # ours\nruntime: yaml\nresources: 7\n'],
  ])(
    "a run without an answer replaces the comment of an earlier one, with a Pulumi.yaml %s",
    async (_title, broken) => {
      await act({}, review("first"));
      const [comment] = gitHub.posts;
      expect(comment?.body).toContain("first");
      const file = path.join(scene.project.dir, "Pulumi.yaml");
      const program = fs.readFileSync(file, "utf8");
      fs.writeFileSync(file, broken ?? program);
      try {
        const failed = await act({ stack: "organization/clinic/dev" }, FAILURE);
        expect(failed).toMatchObject({ code: 1, steps: ["Answer", "Report"], outputs: NOTHING });
      } finally {
        fs.writeFileSync(file, program);
      }
      expect(gitHub.posts).toEqual([comment]);
      expect(comment?.body).toBe(FAILED);
      expect(fs.readFileSync(fileOf("summary.md"), "utf8")).toContain("### Access review failed");
    },
  );

  test("an answer replaces the comment of a run without one", async () => {
    await act({}, FAILURE);
    const [comment] = gitHub.posts;
    expect(comment?.body).toBe(FAILED);
    expect((await act({}, review("next"))).code).toBe(2);
    expect(gitHub.posts).toEqual([comment]);
    expect(comment?.body).toContain("next");
  });

  describe("with a policy file that the target branch does not have", () => {
    const POLICY_FILE = ".perimeter-review.yaml";
    let file: string;
    beforeEach(() => {
      file = path.join(scene.project.dir, POLICY_FILE);
      fs.writeFileSync(file, "version: 1\nallowLoss: [{ principals: ['*'], reason: mine }]\n");
    });
    afterEach(() => fs.rmSync(file));

    test("the action does not use it, and the comment says so", async () => {
      expect((await act({}, jobs.ofPlan)).code).toBe(2);
      expect(gitHub.posts[0]?.body).toContain("no rules file in origin/main; the rules of this folder differ.");
      expect(gitHub.posts[0]?.body).toContain(`- \`rules\`: ${POLICY_FILE} is not in origin/main: it was not used.`);
    });

    test("the action uses it for a pull request to a branch that has it", async () => {
      jobs.origin.push("rules", POLICY_FILE);
      expect((await act({}, jobs.ofPlan, { "github.event.pull_request.base.ref": "rules" })).code).toBe(0);
    });
  });

  test("a target branch that is gone ends the action before the command, with a message that names it", async () => {
    const gone = { "github.event.pull_request.base.ref": "gone" };
    expect((await act({}, review("of none"), gone)).stderr).toContain("the branch gone, whose policy files apply");
    expect(jobs.given).toBeUndefined();
  });

  describe("on a machine without Node.js, the command", () => {
    let made = 0;
    let releases: Releases;
    let run: (inputs?: Record<string, string>, answer?: Answer) => Promise<ActionRun>;
    beforeEach(() => {
      const name = `action-${++made}`;
      const { image, releases: own } = jobs.theOneFile(name);
      releases = own;
      // A runner's folder for temporary files may have a space in its name.
      const values = { "runner.temp": fileOf(`a temp of ${name}`) };
      run = (inputs = {}, answer = review("of one file")) =>
        act(inputs, answer, values, {}, { PATH: image.folder, ...releases.env });
    });

    test("is the one file of the release", async () => {
      expect(await run()).toMatchObject({ code: 2, stderr: "", steps: ["Answer", "Report", "Gate"] });
      expect(jobs.given).toBe("one file review --stack dev --policy-from refs/remotes/origin/main");
      expect(gitHub.posts).toEqual([expect.objectContaining({ body: expect.stringContaining("of one file") })]);
    });

    test("does not run if its file has another checksum", async () => {
      releases.breakArchive();
      const broken = await run();
      expect(broken).toMatchObject({ code: 1, steps: ["Answer"], outputs: NOTHING });
      expect(broken.stderr).toMatch(/error: perimeter-v\S+\.tar\.gz does not have the checksum of SHA256SUMS/);
      expect(fs.readFileSync(fileOf("summary.md"), "utf8")).toContain("no comment says so: the command is missing.");
      expect(jobs.given).toBeUndefined();
    });

    test("ends the action if it cannot be downloaded", async () => {
      releases.remove();
      expect((await run()).stderr).toMatch(/error: \S+ cannot be downloaded/);
      expect(jobs.given).toBeUndefined();
    });

    test("is not downloaded if the input names another one", async () => {
      releases.remove();
      expect((await run({ perimeter: `${scene.bin}/npx pulumi-perimeter` }, review("own"))).code).toBe(2);
    });
  });

  test("the action runs the package only if the project has installed it, and never asks npx for it", async () => {
    const script = parse(fs.readFileSync(FILE, "utf8")).runs.steps[0].run;
    const [choice] = /^if \[ -z "\$PERIMETER_WORDS" \]; then\n[^]*?^fi$/m.exec(script) ?? [];
    if (choice === undefined) throw new Error("action.yml does not choose a command");
    await jobs.expectChoice(choice);
  });

  test("a pull request of a fork gets an answer that says what could not be read, and its program does not run", async () => {
    for (const [head, folder] of [
      ["mallory/clinic", "."],
      // The page's job has no checkout for a fork.
      ["", "infra"],
    ] as const) {
      const values = { "github.event.pull_request.head.repo.full_name": head };
      const run = await act({ "working-directory": folder }, review("of a fork", 0), values);
      expect(run).toMatchObject({ code: 3, steps: ["Answer"], outputs: { ...NOTHING, "exit-code": "3" }, stderr: "" });
      expect(jobs.given).toBeUndefined();
      expect(run.stdout).toMatch(
        /^::error title=Access review::This pull request is from the fork .* it is unknown who gains/m,
      );
      expect(fs.readFileSync(fileOf("summary.md"), "utf8")).toContain("### Access review: unknown");
    }
    expect(gitHub.posts).toEqual([]);
    const { code, stderr } = await act({ "working-directory": "infra" }, review("of no folder", 0));
    expect([code, stderr]).toEqual([1, expect.stringContaining("error: there is no folder infra\n")]);
  });

  const OWN = {
    "github.event.pull_request.number": "7",
    "github.event.pull_request.head.repo.full_name": GitHub.repository,
  };

  test.each<[string, Record<string, string>, Record<string, unknown>, string]>([
    [
      "merge_group",
      { "github.event.merge_group.base_ref": "refs/heads/main" },
      { merge_group: { base_ref: "refs/heads/main" } },
      "There is no pull request to comment on.\n",
    ],
    ["workflow_dispatch", {}, { inputs: null }, "There is no pull request to comment on.\n"],
    ["workflow_run", {}, { workflow_run: { id: 8 } }, "There is no pull request to comment on.\n"],
    ["pull_request_review", { "github.event.pull_request.base.ref": "main", ...OWN }, {}, ""],
    ["pull_request_review_comment", { "github.event.pull_request.base.ref": "main", ...OWN }, {}, ""],
    ["issue_comment", {}, { issue: { number: 7, pull_request: { url: "https://api" } } }, ""],
  ])("a run of %s takes the rules of its target, and fails only for its answer", async (name, values, event, said) => {
    const none = {
      "github.event.pull_request.base.ref": "",
      "github.event.pull_request.number": "",
      "github.event.pull_request.head.repo.full_name": "",
    };
    for (const code of [0, 2] as const) {
      const run = await act({}, review("an answer", code), { ...none, ...values }, { name, ...event });
      expect(run).toMatchObject({ code, stderr: "", steps: ["Answer", "Report", "Gate"] });
      expect(run.stdout).toContain(said);
      expect(jobs.given).toContain(" --policy-from refs/remotes/origin/main");
    }
    expect(gitHub.posts).toHaveLength(said === "" ? 1 : 0);
  });

  test("a push has the rules of its commit", async () => {
    const none = { ...OWN, "github.event.pull_request.base.ref": "", "github.event.pull_request.number": "" };
    expect((await act({}, review("of the folder", 0), none, { name: "push", ref: "refs/heads/main" })).code).toBe(0);
    expect(jobs.given).toBe("pulumi-perimeter review --stack dev");
  });

  test("in a container, where the checkout belongs to another user, the action has git take it", async () => {
    const env = { GIT_TEST_ASSUME_DIFFERENT_OWNER: "1", HOME: fileOf("home-of-container") };
    fs.mkdirSync(env.HOME, { recursive: true });
    const config = path.join(env.HOME, ".gitconfig");
    // Only the checkout belongs to another user. With `path`, it is below the workspace.
    for (const workspace of [scene.project.dir, path.dirname(scene.project.dir)]) {
      fs.writeFileSync(config, `[safe]\n  directory = ${scene.project.dir}-origin.git\n`);
      const job = { ...env, GITHUB_WORKSPACE: workspace };
      expect(await act({}, review("in a container"), {}, {}, job)).toMatchObject({ code: 2, stderr: "" });
      expect(jobs.given).toContain(" --policy-from refs/remotes/origin/main");
    }
  });

  test("jobs that review several stacks each keep their own comment, whichever stacks they are", async () => {
    const job = (name: string, index = "0") => ({ "github.job": name, "strategy.job-index": index });
    const stacks = (...names: string[]) => ({ stack: names.join("\n") });
    const several = (text: string, names: string[], of: Record<string, string>) => {
      for (const project of names.map((name) => path.dirname(name)))
        scene.project.writeFiles({ [`${project}/Pulumi.yaml`]: `name: ${project}\nruntime: yaml\n` });
      const answered: Replayed = { code: 2, text, json: JSON.stringify(emptyAnswer(text, { stacks: names })) };
      return act(stacks(...names), answered, of);
    };
    await several("one", ["a/dev", "b/dev"], job("infra"));
    await several("two", ["c/dev", "d/dev"], job("apps"));
    await several("three", ["c/dev", "d/dev"], job("apps", "1"));
    await several("four", ["b/dev", "e/dev"], job("infra"));
    const first = (name: string) => `<!-- perimeter-review: stacks of CI%20--%3E%2F${name} -->`;
    expect(gitHub.posts.map(({ body }) => [body.split("\n")[0], /^- (\w+)$/m.exec(body)?.[1]])).toEqual([
      [first("infra%2F0"), "four"],
      [first("apps%2F0"), "two"],
      [first("apps%2F1"), "three"],
    ]);
    await act(stacks("a/dev", "b/dev"), FAILURE, job("infra"));
    expect(gitHub.posts).toHaveLength(3);
    expect(gitHub.posts[0]?.body).toMatch(/^<!-- perimeter-review: stacks of CI\S+ -->\n### Access review failed/);
  });

  test.each<[Record<string, string>, Record<string, string>, Answer, string, string[]]>([
    [{ command: "destroy" }, {}, FAILURE, "the command is review or access, and not destroy", ["review: clinic/dev"]],
    [{ expect: "absent.json" }, {}, FAILURE, "--expect absent.json", ["review: clinic/dev"]],
    [{ command: "access", expect: "absent.json" }, {}, FAILURE, "--expect absent.json", ["access: clinic/dev"]],
    [{ stack: "`touch pwned`-->" }, {}, FAILURE, "`touch pwned`", ["review: clinic/%60touch%20pwned%60--%3E"]],
    [
      { stack: "infra/network/prod\ninfra/data/prod\n" },
      {},
      FAILURE,
      "review --stack infra/network/prod --stack infra/data/prod",
      ["review: stacks of CI%20--%3E%2Freview%2F0"],
    ],
    [{ stack: "\n" }, {}, FAILURE, "the input stack names no stack", ["review: stacks of CI%20--%3E%2Freview%2F0"]],
    [{ report: "none", arguments: "--polcy\nrules.yaml" }, {}, FAILURE, "--polcy rules.yaml", []],
    [{ token: "expired" }, {}, review("an answer"), "401", []],
    [{ report: "comet" }, {}, review("an answer"), "report is comment, issue or none, and not comet", []],
  ])("the inputs %j with %j end with a message", async (inputs, values, answer, message, markers) => {
    const { code, stderr } = await act(inputs, answer, values);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
    expect(gitHub.posts.map(({ body }) => body.split("\n")[0])).toEqual(
      markers.map((marker) => `<!-- perimeter-${marker} -->`),
    );
    expect(fs.existsSync(path.join(scene.project.dir, "pwned"))).toBe(false);
  });
});
