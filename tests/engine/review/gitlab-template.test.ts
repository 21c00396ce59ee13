/**
 * The job that the repository publishes for GitLab, ci/access-review.yml: its scripts run with a server in place of
 * GitLab's API, and the command in this process, which reviews a plan that was made before or replays an answer.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import type { CommandEnd } from "../../support/command";
import { ENGINE_TIMEOUT_MS, missingHost, repositoryRoot } from "../../support/engine";
import { GitLab } from "../../support/gitlab";
import { ImagePath } from "../../support/image-path";
import { skipped } from "../../support/skipped";
import { FAILURE, PublishedJobs, review, version, type Answer, type Replayed } from "./published-jobs";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const TEXT = fs.readFileSync(path.join(repositoryRoot, "ci/access-review.yml"), "utf8");

const INPUTS: Record<string, string> = {
  job: "job",
  stack: "dev",
  version: "latest",
  "working-directory": ".",
  arguments: "",
  perimeter: "",
  image: "pulumi/pulumi:latest",
};
const scripts = z.array(z.string());
const JOBS = z.object({
  job: z.object({
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
  }),
  "job-base": z.object({
    rules: z.tuple([z.object({ if: z.literal('$CI_COMMIT_BRANCH && $CI_COMMIT_REF_PROTECTED == "true"') })]),
    script: scripts,
    artifacts: z.object({ reports: z.object({ codequality: z.string() }) }),
  }),
});

const MARKER = "<!-- perimeter-review: clinic/dev -->";
const FAILED =
  /^<!-- perimeter-review: clinic\/dev -->\n### Access review failed\n.*\(https:\/\/gitlab\.example\/jobs\/42\)/s;

(missing === undefined ? describe : describe.skip)(`ci/access-review.yml${skipped(missing)}`, () => {
  let jobs: PublishedJobs;
  let job: z.infer<typeof JOBS>["job"];
  let base: z.infer<typeof JOBS>["job-base"];
  let image: ImagePath;
  let gitLab: GitLab;
  beforeAll(async () => {
    jobs = await PublishedJobs.create();
    const text = TEXT.replaceAll(/\$\[\[ inputs\.(\S+) \]\]/g, (_all, name: string) => INPUTS[name] ?? name);
    const [, parsed] = parseAllDocuments(text.replaceAll("/tmp/", `${jobs.fileOf("tmp")}/`));
    ({ job, "job-base": base } = JOBS.parse(parsed?.toJS()));
    const { bin, project } = jobs.scene;
    image = new ImagePath(jobs.fileOf("image"), ["pulumi"], project.env.PATH ?? "", bin);
  });
  beforeEach(async () => {
    gitLab = await GitLab.start();
    fs.rmSync(inProject("review.json"), { force: true });
  });
  afterEach(() => gitLab.stop());
  afterAll(() => jobs?.dispose());

  const inProject = (name: string) => path.join(jobs.scene.project.dir, name);

  interface JobOptions {
    /** The input `install`: a command. */
    install?: string;
    /** The input `working-directory`. */
    folder?: string;
    /** The target branch of the merge request. */
    target?: string;
    env?: Record<string, string>;
  }

  /** Runs the job as GitLab does: `after_script` also runs after a failure, in a new shell, with the programs of the image. */
  async function run(answer: Answer, { install = "true", folder = ".", target = "main", env = {} }: JobOptions = {}) {
    jobs.pathWith(answer);
    gitLab.head.target = target;
    const set = Object.entries(job.variables).map(([name, value]): [string, string] => [name, value ?? ""]);
    const all = {
      ...Object.fromEntries(set),
      PERIMETER_ARGUMENTS: "--no-inherited\n--mask-principals",
      REVIEW_TOKEN: GitLab.token,
      GITLAB_CI: "true",
      CI_API_V4_URL: gitLab.url,
      CI_PROJECT_ID: "5",
      CI_PROJECT_DIR: jobs.scene.project.dir,
      CI_COMMIT_SHA: gitLab.head.commit,
      CI_MERGE_REQUEST_IID: "7",
      CI_MERGE_REQUEST_PROJECT_ID: "5",
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "5",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: target,
      CI_JOB_URL: "https://gitlab.example/jobs/42",
      CI_JOB_NAME: "access-review",
      CI_JOB_ID: "42",
      PATH: image.folder,
      ...env,
    };
    const shell = (lines: string[]) => jobs.scene.shell(lines.join("\n").replaceAll('cd "."', `cd "${folder}"`), all);
    const before = job.before_script.map((line) => (line === "install" ? install : line));
    const ended = await shell([...before, ...job.script]);
    return { ...ended, after: await shell(job.after_script) };
  }

  /** The note of an earlier run of the job. */
  const earlierNote = (text = "earlier", marker = MARKER) => gitLab.post({ body: `${marker}\n${text}` });
  /** Such an answer is none: a job must not take it for its own. */
  const commitAnswer = ({ json = "" }: Replayed) => jobs.scene.project.writeFiles({ "review.json": json });
  const bodies = () => gitLab.posts.map(({ body }) => body);

  describe("with the review of a plan with losses", () => {
    let ended: CommandEnd & { after: CommandEnd };
    let notes: string[];
    /** The files that the merge request's widgets show. */
    let tests: string;
    let issues: string;
    beforeAll(async () => {
      gitLab = await GitLab.start();
      try {
        ended = await run(jobs.ofPlan);
        notes = bodies();
      } finally {
        await gitLab.stop();
      }
      const { junit, codequality } = job.artifacts.reports;
      [tests, issues] = [fs.readFileSync(inProject(junit), "utf8"), fs.readFileSync(inProject(codequality), "utf8")];
    });

    test("the job fails, without an error", () => {
      expect([ended.code, ended.stderr, ended.after.code]).toEqual([2, "", 0]);
    });

    test("the review becomes one note on the merge request", () => {
      expect(notes).toEqual([expect.stringMatching(/^<!-- perimeter-review: clinic\/dev -->\n/)]);
    });

    test("the note says that the rules are those of the target branch", () => {
      expect(notes[0]).toContain("no rules file in origin/main");
    });

    test("the variable for arguments has one on each line: principals are masked in the note and in the reports", () => {
      expect(notes[0]).toMatch(/`group:a…\d+@example\.com`/);
      for (const text of [...notes, tests, issues]) expect(text).not.toContain("analysts@");
    });

    test("the widget of tests has a failure for each loss", () => {
      expect(tests).toMatch(/<testsuites name="Access review of an update" tests="\d+" failures="3" /);
    });

    test("the widget of code quality has each loss at its line of the program", () => {
      expect(JSON.parse(issues)).toMatchObject([
        { check_name: "perimeter/loss", location: { path: "Pulumi.yaml", lines: { begin: 13 } } },
        { check_name: "perimeter/loss", location: { path: "Pulumi.yaml", lines: { begin: 1 } } },
        { check_name: "perimeter/loss", location: { path: "Pulumi.yaml", lines: { begin: 4 } } },
      ]);
    });
  });

  test("the job of the target branch leaves an empty report of code quality, with which GitLab compares", async () => {
    expect((await jobs.scene.shell(base.script.join("\n"))).code).toBe(0);
    const report = fs.readFileSync(inProject(base.artifacts.reports.codequality), "utf8");
    expect(JSON.parse(report)).toEqual([]);
  });

  // GitLab runs it in the project of the fork, or in this one if a member starts it.
  test.each([
    ["project of the fork", "8"],
    ["project itself, for a member", "5"],
  ])("in the %s, the program of a fork does not run, and the job fails", async (_title, project) => {
    earlierNote();
    const before = bodies();
    const env = { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "8", CI_PROJECT_ID: project };
    const { code, stderr, after } = await run(review("of a fork", 0), { install: "touch installed", env });
    expect([code, stderr, jobs.given]).toEqual([3, expect.stringContaining("from a fork"), undefined]);
    expect(after).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(fs.existsSync(inProject("installed"))).toBe(false);
    expect(bodies()).toEqual(before);
  });

  test("a job finds its own note behind those of others, and changes no other", async () => {
    for (let each = 0; each < 130; each += 1) gitLab.post({ body: `built ${each}`, author: { id: 2 } });
    gitLab.post({ body: `${MARKER}\nmine`, author: { id: 2 } });
    const others = bodies();
    const note = earlierNote();
    const { code, stderr, after } = await run(review("replayed"));
    expect([code, stderr, after.code]).toEqual([2, "", 0]);
    expect(bodies()).toEqual([...others, note.body]);
    expect(note.body).toContain("replayed");
  });

  test("the next answer replaces the note of a job without one", async () => {
    const note = earlierNote("### Access review failed");
    expect((await run(review("next"))).code).toBe(2);
    expect(bodies()).toEqual([note.body]);
    expect(note.body).toContain("next");
    expect(note.body).not.toContain("failed");
  });

  test.each<[string, Answer, JobOptions]>([
    ["an installation that fails", review("not installed"), { install: "false" }],
    ["a command that fails", FAILURE, { env: { PERIMETER_ARGUMENTS: "--policy\nabsent.yaml" } }],
    ["no target branch", review("no branch"), { target: "gone" }],
  ])("a job with %s replaces its earlier note: there is no answer", async (_title, answer, options) => {
    earlierNote();
    commitAnswer(review("committed"));
    const { code, after } = await run(answer, options);
    expect([code, after.code, after.stderr]).toEqual([1, 0, expect.stringMatching(/review\.json does not exist/)]);
    expect(bodies()).toEqual([expect.stringMatching(FAILED)]);
  });

  test("a job whose token is refused fails, and says so", async () => {
    const { code, stderr } = await run(review("refused"), { env: { REVIEW_TOKEN: "expired" } });
    expect([code, stderr]).toEqual([1, expect.stringContaining("GitLab answered 401")]);
  });

  test("with the address of other releases, the command is their one file", async () => {
    const { image, releases } = jobs.theOneFile("another", "7.7.7");
    const env = { ...releases.env, PERIMETER_VERSION: "v7.7.7", PATH: image.folder };
    expect(await run(review("of one file"), { env })).toMatchObject({ code: 2, stderr: "" });
    expect(jobs.given).toMatch(/^one file review /);
    expect(bodies()).toEqual([expect.stringContaining("of one file")]);
  });

  test("the version of the one file is that of the action, of the template and of the script", () => {
    expect(parseAllDocuments(TEXT)[0]?.toJS()).toMatchObject({ spec: { inputs: { version: { default: version } } } });
    expect(fs.readFileSync(path.join(repositoryRoot, "ci/install.sh"), "utf8")).toContain(
      `version=\${2:-${version}}\n`,
    );
  });

  test("the job runs the package only if the project has installed it, and never asks npx for it", async () => {
    const choice = job.script.find((line) => line.includes("PERIMETER_WORDS="));
    if (choice === undefined) throw new Error("the template does not choose a command");
    // The job chooses the command after the installation, and again in `after_script`.
    expect(job.before_script.at(-1)).toBe("install");
    expect(job.after_script).toContain(choice);
    await jobs.expectChoice(choice);
  });

  describe.each<[string, () => JobOptions]>([
    ["the arguments for Pulumi", () => ({ env: { PERIMETER_ARGUMENTS: "--no-inherited\n--\n--cwd\ninfra/net work" } })],
    [
      "the folder of the job",
      () => ({
        folder: "infra/net work",
        env: { PERIMETER_ARGUMENTS: "", PERIMETER_WORDS: `${jobs.scene.bin}/npx pulumi-perimeter` },
      }),
    ],
  ])("where %s name the project", (title, options) => {
    const marker = "<!-- perimeter-review: network/dev -->";
    beforeEach(() => {
      jobs.scene.project.writeFiles({ "infra/net work/Pulumi.yaml": "name: network\nruntime: yaml\n" });
      commitAnswer(review("committed", 2, { project: "network" }));
      earlierNote("of another project");
    });

    test("a job without an answer notes it about that project, whatever answer is committed", async () => {
      expect(await run(FAILURE, options())).toMatchObject({ code: 1, after: { code: 0 } });
      expect(bodies()).toEqual([
        `${MARKER}\nof another project`,
        expect.stringMatching(/^<!-- perimeter-review: network\/dev -->\n### Access review failed\n/),
      ]);
    });

    test("the answer replaces the note about that project, and is where `perimeter approved` finds it", async () => {
      earlierNote("### Access review failed", marker);
      const answer = review(`with ${title}`, 2, { project: "network" });
      expect(await run(answer, options())).toMatchObject({ code: 2, stderr: "" });
      expect(bodies()).toEqual([`${MARKER}\nof another project`, expect.stringContaining(`with ${title}`)]);
      expect(fs.readFileSync(inProject("review.json"), "utf8")).toContain(`with ${title}`);
    });
  });
});
