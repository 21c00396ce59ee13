/** The pages about reviews show the real output of the commands, and their CI steps run. These tests need the real engine. */
import * as fs from "node:fs";
import * as path from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { readPolicy, type Answer } from "../../access";
import { reviewPolicy } from "../../access/gate/rules";
import { runCommand } from "../support/command";
import { runPackage } from "../support/command-service";
import { engine, ENGINE_TIMEOUT_MS, missingHost, repositoryRoot } from "../support/engine";
import { version } from "../../package.json";
import { runAction } from "../support/github";
import { emptyAnswer } from "../support/answers";
import { GitLab } from "../support/gitlab";
import { ImagePath } from "../support/image-path";
import { ScriptedServer } from "../support/scripted-server";
import { pluginFolder } from "../support/plugin";
import { FHIR_STORE } from "../support/programs";
import { DocumentedStack } from "../support/documented-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const textOf = (page: string) => fs.readFileSync(path.join(repositoryRoot, "docs", page), "utf8");
const blocksOf = (page: string, language: string) =>
  [...textOf(page).matchAll(/^```([\w ]*)\n(.*?)^```$/gms)]
    .filter((each) => each[1] === language)
    .map(([, , content = ""]) => content);
const [rules = ""] = blocksOf("review-rules.md", "yaml");
const [github = "", onComment = ""] = blocksOf("review-github.md", "yaml");
const [gitlab = ""] = blocksOf("review-gitlab.md", "yaml");
const [deploy = "", gitlabDeploy = "", githubCheck = "", gitlabCheck = ""] = blocksOf("review-deployment.md", "yaml");

/** The first document of a file that the repository publishes. */
const published = (file: string) =>
  parseAllDocuments(fs.readFileSync(path.join(repositoryRoot, file), "utf8"))[0]?.toJS();

test("the example rules are valid, and each is explained", () => {
  expect(Object.keys(readPolicy(rules, "docs/review-rules.md")).sort()).toEqual(Object.keys(reviewPolicy.shape).sort());
  for (const name of Object.keys(reviewPolicy.shape).filter((each) => each !== "version")) {
    expect(textOf("review-rules.md")).toMatch(new RegExp(`^\\| \`${name}\` +\\|`, "m"));
  }
});

const missing = missingHost("yaml");

const describeHere = missing === undefined ? describe : describe.skip;

describeHere(`on the engine${missing === undefined ? "" : ` [skipped: ${missing}]`}`, () => {
  let scene: DocumentedStack;
  let ofPlan: Awaited<ReturnType<DocumentedStack["plan"]>>;
  beforeAll(async () => {
    scene = await DocumentedStack.create();
    ofPlan = await scene.plan();
  });
  afterAll(() => scene?.dispose());

  /** Runs a command in the folder and environment of the stack. A review is of the plan that was made before. */
  const perimeter = (args: string[]) => {
    const options = { cwd: scene.project.dir, env: scene.project.env, input: "" };
    if (args[0] !== "review") return runCommand(args, options);
    return ofPlan()({ args: ["pulumi-perimeter", ...args], ...options });
  };

  /** The emulator's port changes in each run. */
  const normal = (output: string) => output.replaceAll(scene.emulator.url, "http://127.0.0.1:8790");

  /** Each command of the sessions of these pages with the lines below it. */
  const shown = ["review.md", "review-rules.md", "access.md"].flatMap((page) => blocksOf(page, "console"));
  const sessions = shown.flatMap((content) =>
    content
      .split(/^\$ /m)
      .filter((each) => each !== "")
      .map((each): [string, string] => [each.slice(0, each.indexOf("\n")), each.slice(each.indexOf("\n") + 1)]),
  );

  test("shows sessions", () => expect(sessions.length).toBeGreaterThanOrEqual(4));

  test.each(sessions.slice(0, 1))("$ %s", async (command, expected) => {
    const { stdout, stderr } = await scene.shell(`set +e; ${command}`);
    expect(normal(stdout + stderr)).toBe(expected);
  });

  // Without a shell: what it does with the output is read from the command.
  test.each(sessions.slice(1))("$ %s", async (command, expected) => {
    const parts = /^perimeter (.*?)(?: > (\S+))?(; echo "exit code \$\?")?$/.exec(command);
    const [, words = "", file, echo] = parts ?? [];
    expect(words).not.toMatch(/[;|&<>$"'*]|^$/);
    const { code, stdout, stderr } = await perimeter(words.split(" "));
    if (file !== undefined) fs.writeFileSync(path.join(scene.project.dir, file), stdout);
    const said = echo === undefined ? "" : `exit code ${code}\n`;
    expect(normal((file === undefined ? stdout : "") + stderr + said)).toBe(expected);
  });

  test("docs/doctor.md shows the output of the doctor for this stack", async () => {
    const document = fs.readFileSync(path.join(repositoryRoot, "docs/doctor.md"), "utf8");
    const [, command = "", shown = ""] = /^```console\n\$ (.*)\n([^]*?)^```$/m.exec(document) ?? [];
    const { dir: cwd, env } = scene.project;
    // The page's machine has the plugin on PATH.
    const PATH = [pluginFolder(), env.PATH].join(path.delimiter);
    const { code, stdout } = await runCommand(command.replace(/^perimeter /, "").split(" "), {
      cwd,
      env: { ...env, PATH },
    });
    // The CLI's path and version, the version of Node.js, and so the line breaks depend on this machine.
    const alike = (output: string) =>
      normal(output)
        .replaceAll(/\s+/g, " ")
        .replace(/Node\.js [\d.]+/, "Node.js V")
        .replace(/Pulumi CLI \S+ \([^)]*\)/, "Pulumi CLI V")
        .replace(/Language hosts: [a-z, ;:]* The plugin/, "The plugin")
        .replaceAll(/\([^)]*pulumi-resource-perimeter\)/g, "(PLUGIN)");
    expect(alike(stdout)).toBe(alike(shown));
    expect(code).toBe(0);
  });

  test("matches the part of its plan's JSON, and the comment, in the documents", async () => {
    const command = "review --stack dev --output review.json --output review.md --output review.html";
    const { code, stdout, stderr } = await perimeter(command.split(" "));
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: "" });
    const [part = ""] = blocksOf("review.md", "json");
    expect(JSON.parse(take("review.json"))).toMatchObject(JSON.parse(part));
    expect(blocksOf("review-ci.md", "markdown")).toEqual([`${normal(take("review.md")).trim()}\n`]);
    expect(take("review.html")).toMatch(/^<!doctype html>/i);
  });

  test("the jobs in the documents use inputs that the action and the template have, and credentials for no fork", () => {
    const inputsOf = (file: string) =>
      z
        .object({ inputs: z.record(z.string(), z.unknown()) })
        .parse(file === "action.yml" ? published(file) : published(file).spec).inputs;
    const { permissions, jobs } = parse(github);
    expect(permissions).toEqual({ contents: "read", "id-token": "write", "pull-requests": "write" });
    // GitHub counts a job that is skipped as a success.
    expect(jobs.review.if).toBeUndefined();
    expect(jobs.review.steps[0]).toEqual({
      run: "exit 1",
      if: "github.event.pull_request && github.event.pull_request.head.repo.full_name != github.repository",
    });
    for (const { if: when = "" } of jobs.review.steps.slice(1)) expect(when).toMatch(/^$|^always\(\)/);
    // A comment starts a run with credentials.
    expect(parse(onComment).jobs.review.steps[0].run).toContain(".head.repo.full_name");
    const step = jobs.review.steps.find(({ id }: { id?: string }) => id === "review");
    expect(step.uses).toBe(`pulumi-perimeter/pulumi-perimeter@v${version}`);
    expect(Object.keys(inputsOf("action.yml"))).toEqual(expect.arrayContaining(Object.keys(step.with)));
    const [template] = parse(gitlab).include;
    expect(template.remote).toMatch(new RegExp(`/pulumi-perimeter/raw/v${version}/ci/access-review\\.yml$`));
    expect(Object.keys(inputsOf("ci/access-review.yml"))).toEqual(expect.arrayContaining(Object.keys(template.inputs)));
    for (const name of Object.keys(inputsOf("action.yml")))
      expect(textOf("review-github.md")).toContain(`| \`${name}\``);
    for (const name of Object.keys(inputsOf("ci/access-review.yml")))
      expect(textOf("review-gitlab.md")).toMatch(new RegExp(`^\\|.*\`${name}\``, "m"));
  });

  test("the scheduled check fails for unmanaged grants, and passes when they are allowed", async () => {
    const { jobs } = z
      .object({ jobs: z.object({ access: z.object({ steps: z.array(z.looseObject({})) }) }) })
      .parse(parse(githubCheck));
    expect(jobs.access.steps.at(-1)?.with).toEqual({ stack: "dev", command: "access", report: "issue" });
    const policy = path.join(scene.project.dir, ".perimeter-review.yaml");
    const rules = "version: 1\nunmanaged: fail\n";
    try {
      for (const [allowed, expected] of [
        ["", 2],
        ["allowUnmanaged: [{ principals: ['*'], reason: known }]\n", 0],
      ] as const) {
        fs.writeFileSync(policy, rules + allowed);
        expect(await perimeter(["access", "--stack", "dev"])).toMatchObject({ code: expected, stderr: "" });
      }
    } finally {
      fs.rmSync(policy, { force: true });
    }
  });

  test("the scheduled check on GitLab keeps one issue, which is open while the check fails", async () => {
    const { before_script, script } = z
      .object({ "access-check": z.object({ before_script: z.array(z.string()), script: z.array(z.string()) }) })
      .parse(parse(gitlabCheck))["access-check"];
    expect(before_script[0]).toBe("rm -f access.json");
    const gitLab = await GitLab.start();
    const env = {
      GITLAB_CI: "true",
      CI_API_V4_URL: gitLab.url,
      CI_PROJECT_ID: "5",
      CI_JOB_URL: "https://gitlab.example/jobs/42",
      REVIEW_TOKEN: GitLab.token,
    };
    const file = path.join(scene.project.dir, "access.json");
    try {
      for (const [code, states] of [
        [2, ["opened"]],
        [1, ["opened"]],
        [0, ["closed"]],
      ] as const) {
        fs.rmSync(file, { force: true });
        scene.npx = (asked) => {
          if (asked.args.includes("publish")) return runPackage(asked);
          if (code !== 1)
            fs.writeFileSync(file, JSON.stringify(emptyAnswer("any", { exitCode: code, operation: "access" })));
          return Promise.resolve({ code, stdout: "", stderr: "" });
        };
        const run = await scene.shell(script.join("\n").replaceAll("/tmp/perimeter", "perimeter"), env);
        expect([run.code, gitLab.posts.map(({ state }) => state)]).toEqual([code, states]);
        expect(run.stderr).toMatch(code === 1 ? /^warning: access\.json does not exist, [^\n]+\n$/ : /^$/);
      }
    } finally {
      scene.npx = runPackage;
      fs.rmSync(file, { force: true });
      await gitLab.stop();
    }
  });

  test("a preview that fails stops both, with its error", async () => {
    const file = path.join(scene.project.dir, "Pulumi.yaml");
    const program = fs.readFileSync(file, "utf8");
    try {
      fs.writeFileSync(file, program.replace("user:bob@example.com", "bob"));
      const { code, stdout } = await scene.shell("pulumi preview --json --stack dev | perimeter review");
      expect([code, stdout]).toEqual([3, expect.stringMatching(/^Incomplete: .*The preview failed.*member/s)]);
    } finally {
      fs.writeFileSync(file, program);
    }
  });

  /** Puts a program on the PATH of the scene, in place of a service that tests must not call. */
  const stub = (name: string, ...lines: string[]) =>
    fs.writeFileSync(path.join(scene.bin, name), ["#!/bin/bash", ...lines, ""].join("\n"), {
      mode: 0o755,
    });
  const fileBeside = (name: string) => path.join(scene.project.dir, "..", name);

  test("the job that a comment starts answers a fork with a comment, and ends before anything of it runs", async () => {
    const [{ run, env }] = z
      .object({ jobs: z.object({ review: z.object({ steps: z.tuple([z.any()], z.unknown()) }) }) })
      .parse(parse(onComment)).jobs.review.steps;
    expect(Object.keys(env)).toEqual(["GH_TOKEN", "GH_REPO", "NUMBER"]);
    const commented = fileBeside("comment.txt");
    for (const [answer, code, text] of [
      ["team/clinic", 0, undefined],
      ["mallory/clinic", 1, /^No review: the program of the fork mallory\/clinic .* a branch of team\/clinic\.\n$/],
      [null, 1, /^No review: the program of the fork that was deleted /],
      // An empty answer of GitHub is an error.
      ["", 1, undefined],
    ] as const) {
      fs.rmSync(commented, { force: true });
      const pull = JSON.stringify({ head: { repo: answer === null ? null : { full_name: answer } } });
      stub(
        "gh",
        'case "$*" in',
        `  "api repos/team/clinic/pulls/7 --jq "*) ${answer === "" ? "exit 1" : `jq --raw-output "\${@: -1}" <<<'${pull}'`} ;;`,
        `  "pr comment 7 --body "*) echo "\${@: -1}" >'${commented}' ;;`,
        "  *) exit 64 ;;",
        "esac",
      );
      const end = await scene.shell(run as string, { GITHUB_REPOSITORY: "team/clinic", NUMBER: "7" });
      expect(end).toEqual({ code, stdout: "", stderr: "" });
      if (text === undefined) expect(fs.existsSync(commented)).toBe(false);
      else expect(fs.readFileSync(commented, "utf8")).toMatch(text);
    }
  });

  /** The review that a pull request showed, and one that has nothing of it. */
  async function approve(): Promise<void> {
    await perimeter(["review", "--stack", "dev", "--output", fileBeside("approved.json")]);
    const review = JSON.parse(fs.readFileSync(fileBeside("approved.json"), "utf8")) as Answer;
    const stacks = review.stacks.map((each) => ({ ...each, resources: [] }));
    fs.writeFileSync(fileBeside("empty.json"), JSON.stringify({ ...review, stacks }));
  }

  // The last ones, because they carry the update out.
  test("the deployment on GitHub compares the update with the approved review, carries it out, and finds what was expected", async () => {
    const step = z.object({
      id: z.string().optional(),
      uses: z.string().optional(),
      run: z.string().optional(),
      with: z.record(z.string(), z.unknown()).optional(),
    });
    const { jobs } = z.object({ jobs: z.object({ deploy: z.object({ steps: z.array(step) }) }) }).parse(parse(deploy));
    const [install, download = "", update = "", ...more] = jobs.deploy.steps.flatMap(({ run: script }) => script ?? []);
    expect([install, more]).toEqual(["npm ci", []]);
    const [reviewing, accessing] = jobs.deploy.steps.filter(({ uses }) => uses?.startsWith("pulumi-perimeter/"));
    expect([reviewing?.id, reviewing?.uses]).toEqual(["review", `pulumi-perimeter/pulumi-perimeter@v${version}`]);
    const workflow = z.object({ name: z.string(), jobs: z.object({ review: z.object({ steps: z.array(step) }) }) });
    const { name, jobs: reviewed } = workflow.parse(parse(github));
    const artifact = reviewed.review.steps.at(-1)?.with;
    expect(artifact?.path).toContain("${{ steps.review.outputs.json }}");
    const pull = (head: string, change: object = {}) => ({
      ...{ merged_at: "2026-11-01", merge_commit_sha: "cafe", base: { ref: "main" }, head: { sha: head } },
      ...change,
    });
    const others = [{ merged_at: null }, { base: { ref: "next" } }, { merge_commit_sha: "later" }];
    const pulls = JSON.stringify([...others.map((change) => pull("dead", change)), pull("beef")]);
    const gh = (approved: string) =>
      stub(
        "gh",
        'case "$*" in',
        `  "api repos/team/clinic/commits/cafe/pulls --jq "*) list='${pulls}' ;;`,
        `  "run list --repo team/clinic --workflow ${name} --event pull_request --commit beef "*) list='[{"databaseId":43},{"databaseId":42}]' ;;`,
        // A run that was stopped before it had an answer.
        '  "run download 43 "*) exit 1 ;;',
        `  "run download 42 --repo team/clinic --name ${String(artifact?.name)} --dir approved") mkdir -p approved && cp '${fileBeside(approved)}' approved/access.json; exit ;;`,
        "  *) exit 64 ;;",
        "esac",
        // The last argument is the expression of `--jq`.
        'jq --raw-output "${@: -1}" <<<"$list"',
      );
    const env = { GITHUB_REPOSITORY: "team/clinic", GITHUB_SHA: "cafe", GITHUB_REF_NAME: "main" };
    await approve();
    gh("empty.json");
    expect(await scene.shell(download, env)).toMatchObject({ code: 0, stderr: "" });
    scene.installPackage();
    const temporary = fileBeside("temporary");
    const summary = `${temporary}-summary.md`;
    const act = (inputs: unknown, reviewed = "") =>
      runAction({
        file: path.join(repositoryRoot, "action.yml"),
        inputs: Object.fromEntries(
          Object.entries(z.record(z.string(), z.string()).parse(inputs)).map(([key, value]) => [
            key,
            value
              .replace("${{ steps.review.outputs.json }}", reviewed)
              .replace("${{ github.workspace }}", scene.project.dir),
          ]),
        ),
        values: {
          ...{ "github.token": "", "github.event.pull_request.base.ref": "", "runner.temp": temporary },
          ...{ "github.workflow": "", "github.job": "", "strategy.job-index": "" },
          ...{ "github.event.pull_request.number": "", "github.event.pull_request.head.repo.full_name": "" },
          ...{ "github.event.merge_group.base_ref": "", "github.event.repository.default_branch": "main" },
        },
        outputFile: `${temporary}-outputs`,
        shell: (script, more) =>
          scene.shell(script, {
            GITHUB_EVENT_NAME: "push",
            GITHUB_WORKSPACE: scene.project.dir,
            GITHUB_ACTION_PATH: repositoryRoot,
            GITHUB_STEP_SUMMARY: summary,
            ...more,
          }),
      });
    scene.npx = ofPlan();
    const refused = await act(reviewing?.with);
    expect(refused).toMatchObject({ code: 2, steps: ["Answer", "Gate"] });
    expect(fs.readFileSync(refused.outputs.json ?? "", "utf8")).toContain(
      "The approved review does not have this change.",
    );
    scene.npx = runPackage;
    gh("approved.json");
    expect(await scene.shell(download, env)).toMatchObject({ code: 0, stderr: "" });
    const approved = await act(reviewing?.with);
    expect(approved).toMatchObject({ code: 0, stderr: "", outputs: { "exit-code": "0" } });
    expect(await scene.shell(update, env)).toMatchObject({ code: 0, stderr: "" });
    const after = await act(accessing?.with, approved.outputs.json);
    expect(after).toMatchObject({ code: 0, steps: ["Answer", "Gate"], outputs: { "exit-code": "0" } });
    expect(fs.readFileSync(summary, "utf8")).toContain("The access is as the review expected");
    stub("gh", "exit 0");
    expect(await scene.shell(download, env)).toMatchObject({
      code: 1,
      stderr: "error: no pull request was merged into main with cafe\n",
    });
    gh("absent.json");
    stub("cp", "exit 1");
    const none = await scene.shell(download, env);
    fs.rmSync(path.join(scene.bin, "cp"));
    expect(none).toMatchObject({ code: 1, stderr: "error: no run for beef has a review\n" });
  });

  test("the deployment on GitLab does the same, and fails for a difference", async () => {
    const job = z.object({ before_script: z.array(z.string()), script: z.array(z.string()) });
    const { script } = z.object({ deploy: job }).parse(parse(gitlabDeploy)).deploy;
    const env = {
      REVIEW_TOKEN: "secret-token",
      CI_API_V4_URL: "https://gitlab/api",
      CI_PROJECT_ID: "5",
      CI_COMMIT_SHA: "cafe",
      CI_COMMIT_BRANCH: "main",
    };
    const image = new ImagePath(fileBeside("image"), ["node"], scene.project.env.PATH ?? "", scene.bin);
    const here = (text: string) => text.replaceAll("/tmp/perimeter", "perimeter");
    fs.copyFileSync(fileBeside("approved.json"), fileBeside("review-of-job.json"));
    const gitLab = await ScriptedServer.start(({ route, headers, parameters }) => {
      if (Number(parameters.get("page") ?? 1) > 1) return { status: 200, body: [] };
      if (headers["private-token"] !== "secret-token") return { status: 401, body: {} };
      const answers: Record<string, () => unknown> = {
        "/repository/commits/cafe/merge_requests": () => [
          { iid: 3, id: 1, state: "opened", target_branch: "main", sha: "cafe" },
          { iid: 7, id: 2, state: "merged", target_branch: "main", sha: "cafe" },
        ],
        "/merge_requests/7/pipelines": () => [{ id: 30, sha: "cafe" }],
        "/pipelines/30/jobs": () => [
          { id: 1, name: "build" },
          { id: 2, name: "access-review" },
        ],
        "/jobs/2/artifacts/review.json": () =>
          JSON.parse(fs.readFileSync(fileBeside("review-of-job.json"), "utf8")) as unknown,
      };
      const body = answers[route.replace("GET /projects/5", "")]?.();
      return body === undefined ? { status: 404, body: {} } : { status: 200, body };
    });
    Object.assign(env, { CI_API_V4_URL: gitLab.url, PATH: [image.folder, pluginFolder(), engine().bin].join(":") });
    // The update is carried out already.
    const pulumi = path.join(engine().bin, "pulumi");
    stub("pulumi", `if [ "$1" != up ]; then exec '${pulumi}' "$@"; fi`, '[ "$*" = "up --yes --stack dev" ] || exit 64');
    expect(await scene.shell(here(script.join("\n")), env)).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("The access is as the review expected") as string,
    });
    const { policy } = scene.emulator.resource(FHIR_STORE) ?? {};
    const { bindings = [] } = policy as { bindings?: object[] };
    const added = { role: "roles/healthcare.fhirStoreAdmin", members: ["user:mallory@example.com"] };
    scene.emulator.mutate(FHIR_STORE, { policy: { ...policy, bindings: [...bindings, added] } });
    const last = await scene.shell(here(script.at(-1) ?? "exit 9"));
    expect([last.code, last.stderr]).toEqual([2, ""]);
    expect(last.stdout).toContain("user:mallory@example.com");
    const none = await scene.shell(here(script[0] ?? "exit 9"), { ...env, CI_COMMIT_SHA: "dead" });
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("GitLab answered 404")]);
    await gitLab.stop();
  });

  /** The content of a file in the project's folder; removes it for the next test. */
  function take(name: string): string {
    const file = path.join(scene.project.dir, name);
    const content = fs.readFileSync(file, "utf8");
    fs.rmSync(file);
    return content;
  }
});
