/**
 * The jobs that the repository publishes, action.yml for GitHub and ci/access-review.yml for GitLab: their steps run with
 * the packed package, the real engine, and a server in place of the service's API. What the steps do with an answer is
 * tested with the command in this process, which reviews a plan that was made before, and with answers that are replayed.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { answerSchema } from "../../../access/result/result";
import type { CommandEnd } from "../../support/command";
import { runPackage, type Asked } from "../../support/command-service";
import { ENGINE_TIMEOUT_MS, missingHost, repositoryRoot } from "../../support/engine";
import { GitHub, runAction } from "../../support/github";
import { GitLab } from "../../support/gitlab";
import { emptyAnswer } from "../../support/answers";
import { Origin } from "../../support/origin";
import { ImagePath, Releases } from "../../support/image-path";
import { packedPackage } from "../../support/pack";
import { DocumentedStack } from "../../support/documented-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const { version } = JSON.parse(fs.readFileSync(path.join(repositoryRoot, "package.json"), "utf8")) as {
  version: string;
};
const describeHere = missing === undefined ? describe : describe.skip;

describeHere(`action.yml${missing === undefined ? "" : ` [skipped: ${missing}]`}`, () => {
  let scene: DocumentedStack;
  let gitHub: GitHub;
  let origin: Origin;
  let ofPlan: Npx;
  beforeAll(async () => {
    scene = await DocumentedStack.create();
    ofPlan = (await scene.plan())();
    origin = new Origin(scene.project.dir);
    origin.push("main");
  });
  beforeEach(async () => {
    gitHub = await GitHub.start();
  });
  afterEach(() => gitHub.stop());
  afterAll(() => scene?.dispose());

  const fileOf = (name: string) => path.join(scene.project.dir, "..", name);

  type Npx = (asked: Asked) => Promise<CommandEnd>;
  /** What the command leaves: its exit code, and the text of the files that it writes. */
  interface Replayed {
    code: number;
    text: string;
    json?: string;
  }
  /** Where the answer of the command comes from. Without one, the packed command runs. */
  type Answer = Replayed | Npx;
  /** It leaves files, too, as a command that fails while it writes them. */
  const FAILURE: Replayed = { code: 1, text: "half an answer" };
  const review = (text: string, code: 0 | 2 | 3 = 2): Replayed => ({
    code,
    text,
    json: JSON.stringify(emptyAnswer(text, { exitCode: code })),
  });
  const access = (text: string, code: 0 | 2 | 3 = 2): Replayed => ({
    code,
    text,
    json: JSON.stringify(emptyAnswer(text, { exitCode: code, operation: "access" })),
  });

  /** The arguments of the command, in one line, without the files that it writes; undefined if it did not run. */
  let given: string | undefined;

  /** The PATH of a job, whose project has installed the package. */
  function pathWith(answer?: Answer): string {
    const own = scene.project.env.PATH ?? "";
    given = undefined;
    if (answer === undefined) {
      scene.installPackage(path.join(packedPackage().nodeModules, ".bin/pulumi-perimeter"));
      return own;
    }
    scene.installPackage();
    scene.npx = (asked) => {
      if (asked.args.includes("publish"))
        return runPackage({ ...asked, args: ["pulumi-perimeter", ...publishing(asked)] });
      given = asked.args.filter((each, at, all) => each !== "--output" && all[at - 1] !== "--output").join(" ");
      return typeof answer === "function" ? answer(asked) : replay(answer, asked);
    };
    return `${scene.bin}:${own}`;
  }

  /** The arguments of the command. */
  const publishing = ({ args }: Asked) => args.slice(args.indexOf("publish"));

  function replay({ code, text, json = text }: Replayed, { args, cwd }: Asked): Promise<CommandEnd> {
    const files = args.filter((_each, at) => args[at - 1] === "--output");
    for (const each of files)
      fs.writeFileSync(
        path.resolve(cwd, each.replace(/^[a-z]+=/, "")),
        each.endsWith(".json") && !each.includes("=") ? json : text,
      );
    return Promise.resolve({ code, stdout: "", stderr: code === 1 ? `error: failed with ${args.join(" ")}\n` : "" });
  }

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
    const PATH = pathWith(answer);
    const { commit: sha, target: ref } = gitHub.head;
    const pullRequest = { pull_request: { number: 7, head: { sha }, base: { ref } } };
    const started = name.startsWith("pull_request") ? pullRequest : event;
    fs.writeFileSync(fileOf("event.json"), JSON.stringify(started));
    return runAction({
      file: path.join(repositoryRoot, "action.yml"),
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

  test("a review becomes one comment on the pull request, the job summary, and the exit code of the gate", async () => {
    const many = Array.from({ length: 120 }, () => gitHub.post({ parent: "7", body: "built" }));
    // The answer about another stack, and what only begins like an answer.
    for (const about of ["access: clinic/dev -->", "review: clinic/dev2 -->", "review: clinic/dev --> quoted"])
      many.push(gitHub.post({ parent: "7", body: `<!-- perimeter-${about}\nanother` }));
    const first = await act({});
    expect(first).toMatchObject({
      code: 2,
      steps: ["Answer", "Report", "Gate"],
      outputs: { "exit-code": "2" },
    });
    const result = answerSchema.parse(JSON.parse(fs.readFileSync(first.outputs.json ?? "", "utf8")));
    expect(result.exitCode).toBe(2);
    expect(fs.readFileSync(first.outputs.html ?? "", "utf8")).toMatch(/^<!doctype html>/i);
    expect(JSON.parse(fs.readFileSync(first.outputs.sarif ?? "", "utf8"))).toMatchObject({ version: "2.1.0" });
    expect(annotationsIn(first.stdout)).toEqual([
      ["error", "file=Pulumi.yaml,line=13,", "loss", expect.stringMatching(/^serviceAccount:export-v1@.*%0Aby export/)],
      ["error", "", "loss", expect.stringMatching(/^group:analysts@example\.com loses/)],
      ["error", "file=Pulumi.yaml,line=4,", "loss", expect.stringMatching(/^user:bob@example\.com keeps/)],
    ]);
    const [comment, ...others] = gitHub.posts.slice(many.length);
    expect([comment?.parent, others]).toEqual(["7", []]);
    expect(comment?.body).toMatch(/^<!-- perimeter-review: clinic\/dev -->\n### Access review: .*bob@example\.com/s);
    const summary = fs.readFileSync(fileOf("summary.md"), "utf8");
    expect(comment?.body.startsWith(summary)).toBe(true);
    expect(comment?.body.slice(summary.length)).toMatch(/^\nAbout commit cafe420+, by \[this run\]/);

    const second = await act({ arguments: "--allow-loss\nuser:bob@example.com" }, review("less"));
    expect(second.code).toBe(2);
    expect(given).toBe(
      "pulumi-perimeter review --stack dev --policy-from refs/remotes/origin/main --allow-loss user:bob@example.com",
    );
    expect(gitHub.posts).toHaveLength(1 + many.length);
    expect(comment?.body).toContain("- less\n");
    expect(first.stderr + second.stderr).not.toContain(GitHub.token);
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
    expect(given).toBe(`pulumi-perimeter access --stack dev --policy-from refs/remotes/origin/main --expect ${json}`);
    expect(fs.readFileSync(json, "utf8")).toBe(review("{}").json);
    expect(fs.readFileSync(fileOf("summary.md"), "utf8")).toContain("not as expected");
    expect(await act({ expect: json, report: "none" }, review("as approved", 0))).toMatchObject({
      code: 0,
      outputs: { "exit-code": "0" },
    });
    expect(given).toMatch(/ review .* --expect /);
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

  test("a run without an answer replaces the comment of an earlier one, and the next answer replaces it", async () => {
    expect((await act({}, review("first"))).code).toBe(2);
    const [comment] = gitHub.posts;
    expect(comment?.body).toContain("first");
    for (const file of ["Pulumi.yaml", "in YAML"]) {
      const program = fs.readFileSync(path.join(scene.project.dir, "Pulumi.yaml"), "utf8");
      const broken = file === "in YAML" ? 'name: "clinic" # ours\nruntime: yaml\nresources: 7\n' : program;
      fs.writeFileSync(path.join(scene.project.dir, "Pulumi.yaml"), broken);
      try {
        const failed = await act({ stack: "organization/clinic/dev" }, FAILURE);
        expect(failed).toMatchObject({ code: 1, steps: ["Answer", "Report"], outputs: NOTHING });
      } finally {
        fs.writeFileSync(path.join(scene.project.dir, "Pulumi.yaml"), program);
      }
      expect(gitHub.posts).toEqual([comment]);
      expect(comment?.body).toBe(FAILED);
      expect(fs.readFileSync(fileOf("summary.md"), "utf8")).toContain("### Access review failed");
    }
    expect((await act({}, review("next"))).code).toBe(2);
    expect(gitHub.posts).toEqual([comment]);
    expect(comment?.body).toContain("next");
  });

  test("the policy files are those of the target branch, and the comment says what the pull request changes", async () => {
    const file = path.join(scene.project.dir, ".perimeter-review.yaml");
    fs.writeFileSync(file, "version: 1\nallowLoss: [{ principals: ['*'], reason: mine }]\n");
    try {
      expect((await act({}, ofPlan)).code).toBe(2);
      expect(gitHub.posts[0]?.body).toContain("no rules file in origin/main; the rules of this folder differ.");
      expect(gitHub.posts[0]?.body).toContain(
        "- `rules`: .perimeter-review.yaml is not in origin/main: it was not used.",
      );
      origin.push("rules", ".perimeter-review.yaml");
      expect((await act({}, ofPlan, { "github.event.pull_request.base.ref": "rules" })).code).toBe(0);
      const gone = { "github.event.pull_request.base.ref": "gone" };
      expect((await act({}, review("of none"), gone)).stderr).toContain("the branch gone, whose policy files apply");
      expect(given).toBeUndefined();
    } finally {
      fs.rmSync(file);
    }
  });

  test("the version of the one file is that of the action, of the template and of the script", () => {
    const text = fs.readFileSync(path.join(repositoryRoot, "ci/access-review.yml"), "utf8");
    expect(parseAllDocuments(text)[0]?.toJS()).toMatchObject({ spec: { inputs: { version: { default: version } } } });
    expect(fs.readFileSync(path.join(repositoryRoot, "ci/install.sh"), "utf8")).toContain(
      `version=\${2:-${version}}\n`,
    );
  });

  /** A release whose one file answers, and a PATH without Node.js, whose npx would run what anybody published. */
  function theOneFile(name: string, ofVersion = version): { image: ImagePath; releases: Releases } {
    const takeover = fileOf(`takeover-of-${name}`);
    fs.mkdirSync(takeover);
    fs.writeFileSync(path.join(takeover, "npx"), "#!/bin/sh\necho npx ran >&2\nexit 70\n", { mode: 0o755 });
    return {
      image: new ImagePath(fileOf(`image-of-${name}`), ["pulumi"], scene.project.env.PATH ?? "", takeover),
      releases: new Releases(
        fileOf(`releases-of-${name}`),
        ofVersion,
        `[ "$1" != --which ] || { echo one file; exit; }; exec '${scene.bin}/npx' 'one file' "$@"`,
      ),
    };
  }

  test("the command is the one file of the release, if its checksum is right", async () => {
    const { image, releases } = theOneFile("action");
    // A runner's folder for temporary files may have a space in its name.
    const temp = fileOf("a temp");
    const run = (inputs: Record<string, string> = {}, answer = review("of one file")) =>
      act(inputs, answer, { "runner.temp": temp }, {}, { PATH: image.folder, ...releases.env });
    expect(await run()).toMatchObject({ code: 2, stderr: "", steps: ["Answer", "Report", "Gate"] });
    expect(given).toBe("one file review --stack dev --policy-from refs/remotes/origin/main");
    expect(gitHub.posts).toEqual([expect.objectContaining({ body: expect.stringContaining("of one file") })]);
    fs.rmSync(temp, { recursive: true });
    releases.breakArchive();
    const broken = await run();
    expect(broken).toMatchObject({ code: 1, steps: ["Answer"], outputs: NOTHING });
    expect(broken.stderr).toMatch(/error: perimeter-v\S+\.tar\.gz does not have the checksum of SHA256SUMS/);
    expect(fs.readFileSync(fileOf("summary.md"), "utf8")).toContain("no comment says so: the command is missing.");
    releases.remove();
    expect((await run()).stderr).toMatch(/error: \S+ cannot be downloaded/);
    expect(given).toBeUndefined();
    // A command of the project's own needs neither.
    expect((await run({ perimeter: `${scene.bin}/npx pulumi-perimeter` }, review("own"))).code).toBe(2);
  });

  /** What a project has, and whether its own version of the package runs. */
  const PROJECTS: [string, { manifest?: string; installed?: string; mirror?: boolean }, boolean][] = [
    ["without a package.json", {}, false],
    ["with a package.json of other packages", { manifest: "{}" }, false],
    ["that names the package and has not installed it", { manifest: "uses it" }, false],
    ["that has installed the package", { manifest: "uses it", installed: "." }, true],
    ["below the folder that has installed it", { manifest: "{}", installed: ".." }, true],
    ["that has installed it, where PERIMETER_RELEASES is set", { installed: ".", mirror: true }, false],
  ];

  test.each(["action.yml", "ci/access-review.yml"])(
    "%s runs the package only if the project has installed it, and never asks npx for it",
    async (file) => {
      const { image, releases } = theOneFile(path.basename(file));
      const text = fs.readFileSync(path.join(repositoryRoot, file), "utf8");
      const chooses = file === "action.yml" ? choiceOf(parse(text).runs.steps[0].run) : choiceOfTemplate(text);
      const workspace = fileOf(`workspace-of-${path.basename(file)}`);
      const download = releases.withDownloads(image);
      for (const [at, [title, { manifest, installed, mirror }, own]] of PROJECTS.entries()) {
        fs.rmSync(workspace, { recursive: true, force: true });
        const folder = path.join(workspace, "an infra");
        fs.mkdirSync(folder, { recursive: true });
        if (manifest !== undefined)
          fs.writeFileSync(
            path.join(folder, "package.json"),
            manifest === "{}" ? manifest : '{ "dependencies": { "pulumi-perimeter": "*" } }',
          );
        if (installed !== undefined) {
          const bin = path.join(folder, installed, "node_modules/.bin");
          fs.mkdirSync(bin, { recursive: true });
          fs.writeFileSync(path.join(bin, "pulumi-perimeter"), "#!/bin/sh\necho own\n", { mode: 0o755 });
        }
        const { code, stdout, stderr } = await scene.shell(
          `fail() { exit 70; }; cd '${folder}'\n${chooses}\n$PERIMETER_WORDS --which`,
          {
            ...(mirror && releases.env),
            PATH: download,
            PERIMETER_VERSION: version,
            PERIMETER_FILE: fileOf("a file"),
            GITHUB_ACTION_PATH: repositoryRoot,
            GITHUB_WORKSPACE: workspace,
            GITHUB_OUTPUT: "/dev/null",
            CI_PROJECT_DIR: workspace,
            CI_JOB_ID: `${at}`,
          },
        );
        expect({ title, code, stdout, stderr }).toEqual({
          title,
          code: 0,
          stdout: own ? "own\n" : "one file\n",
          stderr: "",
        });
      }
    },
  );

  /** The part of the action that chooses the command. */
  function choiceOf(script: string): string {
    const [choice] = /^if \[ -z "\$PERIMETER_WORDS" \]; then\n[^]*?^fi$/m.exec(script) ?? [];
    if (choice === undefined) throw new Error("action.yml does not choose a command");
    return choice;
  }

  /** The part of the template that does it after the installation and again in `after_script`. */
  function choiceOfTemplate(text: string): string {
    const { before_script, script, after_script } = parseAllDocuments(text)[1]?.toJS()["$[[ inputs.job ]]"] as Record<
      string,
      string[]
    >;
    const choice = (script ?? []).find((line) => line.includes("PERIMETER_WORDS="));
    if (choice === undefined) throw new Error("the template does not choose a command");
    expect(before_script?.at(-1)).toBe("$[[ inputs.install ]]");
    expect(after_script).toContain(choice);
    return choice.replaceAll("/tmp/", `${fileOf("tmp-of-template")}/`);
  }

  test("a pull request of a fork gets an answer that says what could not be read, and its program does not run", async () => {
    for (const [head, folder] of [
      ["mallory/clinic", "."],
      // The page's job has no checkout for a fork.
      ["", "infra"],
    ] as const) {
      const values = { "github.event.pull_request.head.repo.full_name": head };
      const run = await act({ "working-directory": folder }, review("of a fork", 0), values);
      expect(run).toMatchObject({ code: 3, steps: ["Answer"], outputs: { ...NOTHING, "exit-code": "3" }, stderr: "" });
      expect(given).toBeUndefined();
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
      expect(given).toContain(" --policy-from refs/remotes/origin/main");
    }
    expect(gitHub.posts).toHaveLength(said === "" ? 1 : 0);
  });

  test("a push has the rules of its commit", async () => {
    const none = { ...OWN, "github.event.pull_request.base.ref": "", "github.event.pull_request.number": "" };
    expect((await act({}, review("of the folder", 0), none, { name: "push", ref: "refs/heads/main" })).code).toBe(0);
    expect(given).toBe("pulumi-perimeter review --stack dev");
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
      expect(given).toContain(" --policy-from refs/remotes/origin/main");
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

  test("ci/access-review.yml: a review becomes one note on the merge request, and the exit code of the gate", async () => {
    const gitLab = await GitLab.start();
    for (const each of Array.from({ length: 130 }, (_, at) => at))
      gitLab.post({ body: `built ${each}`, author: { id: 2 } });
    gitLab.post({ author: { id: 2 }, body: "<!-- perimeter-review: clinic/dev -->\nmine" });
    const others = [...gitLab.posts];
    try {
      const file = path.join(repositoryRoot, "ci/access-review.yml");
      const inputs: Record<string, string> = {
        job: "job",
        stack: "dev",
        version: "latest",
        "working-directory": ".",
        arguments: "",
        perimeter: "",
        image: "pulumi/pulumi:latest",
      };
      const text = fs
        .readFileSync(file, "utf8")
        .replaceAll(/\$\[\[ inputs\.(\S+) \]\]/g, (_all, name: string) => inputs[name] ?? name)
        .replaceAll("/tmp/", `${fileOf("tmp-of-gitlab")}/`);
      const scripts = z.array(z.string());
      const job = z.object({
        // A job that is left out would count as none.
        rules: z.tuple([z.object({ if: z.literal('$CI_PIPELINE_SOURCE == "merge_request_event"') })]),
        variables: z.record(z.string(), z.string().nullable()),
        before_script: scripts,
        script: scripts,
        after_script: scripts,
        artifacts: z.object({
          paths: z.tuple([z.literal("review.json"), z.literal("review.html")]),
          reports: z.object({ junit: z.string(), codequality: z.string() }),
        }),
      });
      const base = z.object({
        rules: z.tuple([z.object({ if: z.literal('$CI_COMMIT_BRANCH && $CI_COMMIT_REF_PROTECTED == "true"') })]),
        script: scripts,
        artifacts: z.object({ reports: z.object({ codequality: z.string() }) }),
      });
      const jobs = z.object({ job, "job-base": base }).parse(parseAllDocuments(text)[1]?.toJS());
      const { variables, script, artifacts, before_script, after_script } = jobs.job;
      // GitLab compares with an empty report of the target branch.
      const ofBase = jobs["job-base"];
      expect((await scene.shell(ofBase.script.join("\n"))).code).toBe(0);
      const baseReport = path.join(scene.project.dir, ofBase.artifacts.reports.codequality);
      expect(JSON.parse(fs.readFileSync(baseReport, "utf8"))).toEqual([]);
      const set = Object.entries(variables).map(([name, value]): [string, string] => [name, value ?? ""]);
      const env = {
        ...Object.fromEntries(set),
        PERIMETER_ARGUMENTS: "--no-inherited\n--mask-principals",
        REVIEW_TOKEN: GitLab.token,
        GITLAB_CI: "true",
        CI_API_V4_URL: gitLab.url,
        CI_PROJECT_ID: "5",
        CI_PROJECT_DIR: scene.project.dir,
        CI_COMMIT_SHA: gitLab.head.commit,
        CI_MERGE_REQUEST_IID: "7",
        CI_MERGE_REQUEST_PROJECT_ID: "5",
        CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "5",
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
        CI_JOB_URL: "https://gitlab.example/jobs/42",
        CI_JOB_NAME: "access-review",
        CI_JOB_ID: "42",
      };
      const image = new ImagePath(fileOf("image-of-gitlab"), ["pulumi"], scene.project.env.PATH ?? "", scene.bin);
      let folder = ".";
      /** As the runner does: what is after the script runs in any case, in another shell, with what the image has. */
      const run = async (install: string, answer?: Answer, more: Record<string, string> = {}) => {
        pathWith(answer);
        const before = before_script.map((line) => (line === "install" ? install : line));
        const all = { ...env, PATH: image.folder, ...more };
        const shell = (lines: string[]) => scene.shell(lines.join("\n").replaceAll('cd "."', `cd "${folder}"`), all);
        const ended = await shell([...before, ...script]);
        return { ...ended, after: await shell(after_script) };
      };
      // GitLab runs it in the project of the fork, or in this one if a member starts it.
      for (const project of ["5", "8"]) {
        const ofFork = { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "8", CI_PROJECT_ID: project };
        const { code, stderr, after } = await run("touch installed", review("of a fork", 0), ofFork);
        expect([code, stderr, given]).toEqual([3, expect.stringContaining("from a fork"), undefined]);
        expect(after).toEqual({ code: 0, stdout: "", stderr: "" });
        expect(fs.existsSync(path.join(scene.project.dir, "installed"))).toBe(false);
      }
      expect(gitLab.posts).toEqual(others);
      for (const answer of [review("replayed"), ofPlan]) {
        const { code, stderr, after } = await run("true", answer);
        expect([code, stderr, after.code]).toEqual([2, "", 0]);
      }
      const [note, ...more] = gitLab.posts.slice(others.length);
      const noted = () => note?.body ?? "";
      expect(more).toEqual([]);
      expect(noted()).toMatch(/^<!-- perimeter-review: clinic\/dev -->\n/);
      expect(noted()).toMatch(/`group:a…\d+@example\.com`/);
      expect(noted()).not.toContain("analysts@");
      expect(noted()).toContain("no rules file in origin/main");
      const { junit, codequality } = artifacts.reports;
      const [tests = "", issues = ""] = [junit, codequality].map((name) =>
        fs.readFileSync(path.join(scene.project.dir, name), "utf8"),
      );
      expect(tests).toMatch(/<testsuites name="Access review of an update" tests="\d+" failures="3" /);
      expect(JSON.parse(issues)).toMatchObject([
        { check_name: "perimeter/loss", location: { path: "Pulumi.yaml", lines: { begin: 13 } } },
        { check_name: "perimeter/loss", location: { path: "Pulumi.yaml", lines: { begin: 1 } } },
        { check_name: "perimeter/loss", location: { path: "Pulumi.yaml", lines: { begin: 4 } } },
      ]);
      expect(tests + issues).not.toContain("analysts@");
      // Each of these leaves no answer, and the note says so: a failed installation, a failed command, no target branch.
      for (const [install, answer, more] of [
        ["false", review("not installed"), {}],
        ["true", FAILURE, { PERIMETER_ARGUMENTS: "--policy\nabsent.yaml" }],
        ["true", review("no branch"), { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "gone" }],
      ] as const) {
        gitLab.head.target = "CI_MERGE_REQUEST_TARGET_BRANCH_NAME" in more ? "gone" : "main";
        const { code, after } = await run(install, answer, more);
        expect([code, after.code, after.stderr]).toEqual([1, 0, expect.stringMatching(/review\.json does not exist/)]);
        expect(noted()).toMatch(
          /^<!-- perimeter-review: clinic\/dev -->\n### Access review failed\n.*\(https:\/\/gitlab\.example\/jobs\/42\)/s,
        );
        gitLab.head.target = "main";
        expect((await run("true", review("next"))).code).toBe(2);
        expect(noted()).toContain("next");
      }
      expect(gitLab.posts).toHaveLength(others.length + 1);
      const refused = await run("true", review("refused"), { REVIEW_TOKEN: "expired" });
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("GitLab answered 401")]);
      // With the address of other releases, the command is their one file.
      const { image: ofImage, releases } = theOneFile("another", "7.7.7");
      const mirrored = { ...releases.env, PERIMETER_VERSION: "v7.7.7", PATH: ofImage.folder };
      expect(await run("true", review("of one file"), mirrored)).toMatchObject({ code: 2, stderr: "" });
      expect(given).toMatch(/^one file review /);
      expect(noted()).toContain("of one file");
      // The arguments for Pulumi and the folder of the job name the project, also for the comment without an answer.
      scene.project.writeFiles({ "infra/net work/Pulumi.yaml": "name: network\nruntime: yaml\n" });
      const ofNetwork = (note: string): Replayed => ({
        ...review(note),
        json: JSON.stringify(emptyAnswer(note, { project: "network" })),
      });
      for (const [place, more] of [
        [".", { PERIMETER_ARGUMENTS: "--no-inherited\n--\n--cwd\ninfra/net work" }],
        ["infra/net work", { PERIMETER_ARGUMENTS: "", PERIMETER_WORDS: `${scene.bin}/npx pulumi-perimeter` }],
      ] as const) {
        folder = place;
        // A committed answer is none.
        scene.project.writeFiles({ "review.json": JSON.stringify(emptyAnswer("committed", { project: "network" })) });
        expect(await run("true", FAILURE, more)).toMatchObject({ code: 1, after: { code: 0 } });
        expect(gitLab.posts.at(-1)?.body).toMatch(
          /^<!-- perimeter-review: network\/dev -->\n### Access review failed\n/,
        );
        expect(await run("true", ofNetwork(`in ${place}`), more)).toMatchObject({ code: 2, stderr: "" });
        expect(gitLab.posts.at(-1)?.body).toContain(`in ${place}`);
        expect(gitLab.posts).toHaveLength(others.length + 2);
        // Where `perimeter approved` finds it.
        expect(fs.readFileSync(path.join(scene.project.dir, "review.json"), "utf8")).toContain(`in ${place}`);
      }
      folder = ".";
    } finally {
      await gitLab.stop();
    }
  });
});
