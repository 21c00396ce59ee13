/** The pages about reviews show the real output of the commands, and their CI steps run. These tests need the real engine. */
import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
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
import { linkPackages } from "../support/node-modules";
import { packedPackage } from "../support/pack";
import { FHIR_STORE } from "../support/programs";
import { ReviewScene } from "../support/review-scene";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const textOf = (page: string) => fs.readFileSync(path.join(repositoryRoot, "docs", page), "utf8");
const blocksOf = (page: string, language: string) =>
  [...textOf(page).matchAll(/^```([\w ]*)\n(.*?)^```$/gms)]
    .filter((each) => each[1] === language)
    .map(([, , content = ""]) => content);
const [rules = ""] = blocksOf("review-rules.md", "yaml");
const [github = "", gitlab = ""] = blocksOf("review-ci.md", "yaml");
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

/** Runs a script of the scheduled job with a stub in place of `curl`. @returns the calls of the stub that change issues */
function changesOfIssues(script: string, code: number, issue: string): string[] {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-check-"));
  try {
    fs.writeFileSync(path.join(folder, "access.md"), "<!-- perimeter-access: clinic/dev -->\n### Access\n");
    // The issue is on the second page of the list.
    const pages = [[{ iid: 3, description: null }], issue === "" ? [] : [{ iid: 7, description: issue }], []];
    pages.forEach((page, at) => fs.writeFileSync(path.join(folder, `page-${at + 1}`), JSON.stringify(page)));
    const stub = (name: string, lines: string[]) =>
      fs.writeFileSync(path.join(folder, name), ["#!/usr/bin/env bash", ...lines, ""].join("\n"), { mode: 0o755 });
    stub("curl", [
      '[ "$(cat)" = \'header = "PRIVATE-TOKEN: secret-token"\' ] || exit 22',
      'if [[ "$*" == *secret-token* ]]; then exit 23; fi',
      'if [[ "$*" =~ \\&page=([0-9]+) ]]; then exec cat "page-${BASH_REMATCH[1]}"; fi',
      'echo "${*:6}" >> calls',
    ]);
    const env = { PATH: `${folder}:${process.env.PATH}`, code: `${code}` };
    const gitlab = { REVIEW_TOKEN: "secret-token", CI_API_V4_URL: "https://gitlab/api", CI_PROJECT_ID: "5" };
    execFileSync("bash", ["-eo", "pipefail", "-c", script], { cwd: folder, env: { ...env, ...gitlab } });
    const calls = path.join(folder, "calls");
    return fs.existsSync(calls) ? fs.readFileSync(calls, "utf8").trim().split("\n") : [];
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

const MARKED = "<!-- perimeter-access: clinic/dev -->\n### Access, yesterday";
const hasJq = spawnSync("jq", ["--version"]).status === 0;
const checkShape = z.object({ script: z.array(z.string()) });

(hasJq ? describe : describe.skip)(
  `the scheduled job on GitLab keeps one issue${hasJq ? "" : " [skipped: no jq]"}`,
  () => {
    const onGitLab = () =>
      z
        .object({ "access-check": checkShape })
        .parse(parse(gitlabCheck))
        ["access-check"].script.find((each) => each.includes("curl")) ?? "exit 9";
    const URL = "https://gitlab/api/projects/5/issues";

    test.each([
      ["opens", 2, "", `description@access.md ${URL}`],
      ["updates", 2, MARKED, `description@access.md ${URL}/7`],
      ["closes", 0, MARKED, `state_event=close ${URL}/7`],
    ])("%s it", (_, code, issue, gitlab) => {
      expect(changesOfIssues(onGitLab(), code, issue)).toEqual([expect.stringContaining(gitlab)]);
    });

    test.each(["another issue", MARKED.replace("access", "review"), MARKED.replace("\n", " of another stack\n")])(
      "and does nothing if there is nothing to say: %j",
      (issue) => {
        expect(changesOfIssues(onGitLab(), 0, issue)).toEqual([]);
      },
    );
  },
);

const missing = missingHost("yaml");

const describeHere = missing === undefined ? describe : describe.skip;

describeHere(`on the engine${missing === undefined ? "" : ` [skipped: ${missing}]`}`, () => {
  let scene: ReviewScene;
  let ofPlan: Awaited<ReturnType<ReviewScene["plan"]>>;
  beforeAll(async () => {
    scene = await ReviewScene.create();
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
    const parts = /^npx pulumi-perimeter (.*?)(?: > (\S+))?(; echo "exit code \$\?")?$/.exec(command);
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
    const { code, stdout } = await perimeter(command.replace(/^npx pulumi-perimeter /, "").split(" "));
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
    expect(jobs.review.if).toContain("head.repo.full_name == github.repository");
    const step = jobs.review.steps.find(({ id }: { id?: string }) => id === "review");
    expect(step.uses).toBe(`pulumi-perimeter/pulumi-perimeter@v${version}`);
    expect(Object.keys(inputsOf("action.yml"))).toEqual(expect.arrayContaining(Object.keys(step.with)));
    const [template] = parse(gitlab).include;
    expect(template.remote).toMatch(new RegExp(`/pulumi-perimeter/raw/v${version}/ci/access-review\\.yml$`));
    expect(Object.keys(inputsOf("ci/access-review.yml"))).toEqual(expect.arrayContaining(Object.keys(template.inputs)));
    for (const name of [...Object.keys(inputsOf("action.yml")), ...Object.keys(inputsOf("ci/access-review.yml"))]) {
      expect(textOf("review-ci.md")).toContain(`\`${name}\``);
    }
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

  test("a preview that fails stops both, with its error", async () => {
    const file = path.join(scene.project.dir, "Pulumi.yaml");
    const program = fs.readFileSync(file, "utf8");
    try {
      fs.writeFileSync(file, program.replace("user:bob@example.com", "bob"));
      const { code, stdout } = await scene.shell("pulumi preview --json --stack dev | npx pulumi-perimeter review");
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
      uses: z.string().optional(),
      run: z.string().optional(),
      with: z.record(z.string(), z.unknown()).optional(),
    });
    const { jobs } = z.object({ jobs: z.object({ deploy: z.object({ steps: z.array(step) }) }) }).parse(parse(deploy));
    const [install, download = "", review = "", update = "", ...others] = jobs.deploy.steps.flatMap(
      ({ run: script }) => script ?? [],
    );
    expect([install, others]).toEqual(["npm ci", []]);
    const workflow = z.object({ name: z.string(), jobs: z.object({ review: z.object({ steps: z.array(step) }) }) });
    const { name, jobs: reviewed } = workflow.parse(parse(github));
    const artifact = reviewed.review.steps.at(-1)?.with;
    expect(artifact?.path).toContain("${{ steps.review.outputs.json }}");
    const pulls = '[{"merged_at":null,"head":{"sha":"dead"}},{"merged_at":"2026-11-01","head":{"sha":"beef"}}]';
    const gh = (approved: string) =>
      stub(
        "gh",
        'case "$*" in',
        `  "api repos/team/clinic/commits/cafe/pulls --jq "*) list='${pulls}' ;;`,
        `  "run list --repo team/clinic --workflow ${name} --event pull_request --commit beef "*) list='[{"databaseId":42}]' ;;`,
        `  "run download 42 --repo team/clinic --name ${String(artifact?.name)} --dir approved") mkdir -p approved && cp '${fileBeside(approved)}' approved/access.json; exit ;;`,
        "  *) exit 64 ;;",
        "esac",
        // The last argument is the expression of `--jq`.
        'jq --raw-output "${@: -1}" <<<"$list"',
      );
    const env = { GITHUB_REPOSITORY: "team/clinic", GITHUB_SHA: "cafe" };
    await approve();
    gh("empty.json");
    expect(await scene.shell(download, env)).toMatchObject({ code: 0, stderr: "" });
    scene.npx = ofPlan();
    expect((await scene.shell(review)).code).toBe(2);
    scene.npx = runPackage;
    expect(JSON.stringify(JSON.parse(take("review.json")))).toContain("The approved review does not have this change.");
    gh("approved.json");
    const ended = [];
    for (const script of [download, review, update]) ended.push(await scene.shell(script, env));
    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual([0, 0, 0].map((code) => [code, ""]));
    stub("gh", "exit 0");
    expect(await scene.shell(download, env)).toMatchObject({
      code: 1,
      stderr: "error: no pull request was merged with cafe\n",
    });
    const last = jobs.deploy.steps.at(-1);
    expect(last?.uses).toBe(`pulumi-perimeter/pulumi-perimeter@v${version}`);
    linkPackages(path.join(scene.project.dir, "node_modules"), packedPackage().nodeModules);
    const temporary = fileBeside("temporary");
    const summary = `${temporary}-summary.md`;
    const action = await runAction({
      file: path.join(repositoryRoot, "action.yml"),
      inputs: z.record(z.string(), z.string()).parse(last?.with),
      values: {
        ...{ "github.token": "", "github.event.number": "", "github.base_ref": "", "runner.temp": temporary },
        ...{ "github.workflow": "", "github.job": "", "strategy.job-index": "" },
      },
      outputFile: `${temporary}-outputs`,
      // npx of npm, which finds the package in the project.
      shell: (script, more) =>
        scene.shell(script, { PATH: scene.project.env.PATH ?? "", GITHUB_STEP_SUMMARY: summary, ...more }),
    });
    expect(action).toMatchObject({ code: 0, steps: ["Answer", "Gate"], outputs: { "exit-code": "0" } });
    expect(JSON.parse(take("review.json"))).toMatchObject({ exitCode: 0, stacks: [{ verdict: { exitCode: 0 } }] });
    expect(fs.readFileSync(summary, "utf8")).toContain("The access is as the review expected");
  });

  test("the deployment on GitLab does the same, and fails for a difference", async () => {
    const job = z.object({ before_script: z.array(z.string()), script: z.array(z.string()) });
    const { script } = z.object({ deploy: job }).parse(parse(gitlabDeploy)).deploy;
    const env = {
      REVIEW_TOKEN: "secret-token",
      CI_API_V4_URL: "https://gitlab/api",
      CI_PROJECT_ID: "5",
      CI_COMMIT_SHA: "cafe",
    };
    const root = "https://gitlab/api/projects/5";
    stub(
      "curl",
      '[ "$(cat)" = \'header = "PRIVATE-TOKEN: secret-token"\' ] || exit 22',
      'case "${*:6}" in',
      `  ${root}/repository/commits/cafe/merge_requests) echo '[{"iid":3,"state":"opened"},{"iid":7,"state":"merged"}]' ;;`,
      `  ${root}/merge_requests/7/pipelines) echo '[{"id":30},{"id":20}]' ;;`,
      `  "${root}/pipelines/30/jobs?per_page=100") echo '[{"id":1,"name":"build"},{"id":2,"name":"access-review"}]' ;;`,
      `  "--output approved.json ${root}/jobs/2/artifacts/review.json") cp '${fileBeside("approved.json")}' approved.json ;;`,
      "  *) exit 64 ;;",
      "esac",
    );
    // The update is carried out already.
    const pulumi = path.join(engine().bin, "pulumi");
    stub("pulumi", `if [ "$1" != up ]; then exec '${pulumi}' "$@"; fi`, '[ "$*" = "up --yes --stack dev" ] || exit 64');
    expect(await scene.shell(script.join("\n"), env)).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("The access is as the review expected") as string,
    });
    const { policy } = scene.emulator.resource(FHIR_STORE) ?? {};
    const { bindings = [] } = policy as { bindings?: object[] };
    const added = { role: "roles/healthcare.fhirStoreAdmin", members: ["user:mallory@example.com"] };
    scene.emulator.mutate(FHIR_STORE, { policy: { ...policy, bindings: [...bindings, added] } });
    const last = await scene.shell(script.at(-1) ?? "exit 9");
    expect([last.code, last.stderr]).toEqual([2, ""]);
    expect(last.stdout).toContain("user:mallory@example.com");
  });

  /** The content of a file in the project's folder; removes it for the next test. */
  function take(name: string): string {
    const file = path.join(scene.project.dir, name);
    const content = fs.readFileSync(file, "utf8");
    fs.rmSync(file);
    return content;
  }
});
