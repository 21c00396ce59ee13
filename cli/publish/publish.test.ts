/** `perimeter publish`: one comment that is true, whatever started the run, however the project is written. */
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { Bitbucket } from "../../tests/support/bitbucket";
import { runCommand } from "../../tests/support/command";
import { GitHub } from "../../tests/support/github";
import { GitLab } from "../../tests/support/gitlab";
import { emptyAnswer } from "../../tests/support/answers";

let folder: string;
let gitHub: GitHub;
let gitLab: GitLab;
beforeEach(async () => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "perimeter-publish-test-")));
  [gitHub, gitLab] = [await GitHub.start(), await GitLab.start()];
  write("Pulumi.yaml", "name: clinic\nruntime: yaml\n");
});
afterEach(async () => {
  await Promise.all([gitHub.stop(), gitLab.stop()]);
  fs.rmSync(folder, { recursive: true, force: true });
});

const fileOf = (name: string) => path.join(folder, name);
function write(name: string, text: string): void {
  fs.mkdirSync(path.dirname(fileOf(name)), { recursive: true });
  fs.writeFileSync(fileOf(name), text);
}

const REQUEST = { pull_request: { number: 7, head: { sha: "cafe42".padEnd(40, "0") }, base: { ref: "main" } } };

/** Runs the command in a job of GitHub. */
const onGitHub = (args: string[], event: object = REQUEST, env: Record<string, string> = {}) => {
  write("event.json", JSON.stringify(event));
  return runCommand(["publish", ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? "",
      GITHUB_ACTIONS: "true",
      GITHUB_API_URL: gitHub.url,
      GITHUB_REPOSITORY: GitHub.repository,
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_RUN_ID: "42",
      GITHUB_WORKFLOW: "CI",
      GITHUB_JOB: "review",
      GITHUB_EVENT_PATH: fileOf("event.json"),
      GITHUB_STEP_SUMMARY: fileOf("summary.md"),
      GITHUB_TOKEN: GitHub.token,
      ...env,
    },
  });
};
/** Runs the command in a job of GitLab. */
const onGitLab = (args: string[], env: Record<string, string> = {}, cwd = folder) =>
  runCommand(["publish", ...args], {
    cwd,
    env: {
      PATH: process.env.PATH ?? "",
      GITLAB_CI: "true",
      CI_API_V4_URL: gitLab.url,
      CI_PROJECT_ID: "5",
      CI_MERGE_REQUEST_IID: "7",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      CI_COMMIT_SHA: "cafe42".padEnd(40, "0"),
      CI_JOB_URL: "https://gitlab.example/jobs/42",
      CI_JOB_NAME: "review: [dev]",
      REVIEW_TOKEN: GitLab.token,
      ...env,
    },
  });

const MARKER = "<!-- perimeter-review: clinic/dev -->";
/** Writes an answer. @returns the arguments for it */
function answer(note: string, change: Parameters<typeof emptyAnswer>[1] = {}): string[] {
  write("review.json", JSON.stringify(emptyAnswer(note, change)));
  return ["--answer", "review.json", "--stack", "dev"];
}
const bodies = () => gitHub.posts.map(({ body }) => body);
/** What an earlier run of the job has posted. */
const postedBefore = (note = "before") => gitHub.post({ parent: "7", body: `${MARKER}\n${note}` });

test.each([{ type: "Bot" }, { type: "User", id: 9 }])(
  "replaces the comment that %j wrote before, and names the commit and the run",
  async (user) => {
    gitHub.user = user.id;
    const others = Array.from({ length: 120 }, () => gitHub.post({ parent: "7", body: "built" }));
    gitHub.post({ parent: "7", body: `${MARKER}\r\nbefore`, user });
    for (const note of ["first", "second"])
      expect(await onGitHub(answer(note))).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(bodies().slice(others.length)).toEqual([
      expect.stringMatching(
        /^<!-- perimeter-review: clinic\/dev -->\n### Access review: [^]*second\n[^]*\n\nAbout commit cafe420+, by \[this run\]\(https:\/\/github\.com\/team\/clinic\/actions\/runs\/42\)\.\n$/,
      ),
    ]);
  },
);

test("replaces every comment with the first line, because two runs at a time may each have added one", async () => {
  for (const run of ["first", "second"]) {
    gitHub.post({ parent: "7", body: `${MARKER}\nof the ${run} run` });
    gitLab.post({ body: `${MARKER}\nof the ${run} run` });
  }
  for (const run of [onGitHub, onGitLab]) expect(await run(answer("newer"))).toMatchObject({ code: 0, stderr: "" });
  for (const posts of [bodies(), gitLab.posts.map(({ body }) => body)])
    expect(posts).toEqual([expect.stringContaining("newer"), expect.stringContaining("newer")]);
});

/** Who wrote a post with the first line of an answer, and whether it is the project's: on GitHub, and on GitLab by the role. */
const AUTHORS: [string, string | undefined, number | undefined, boolean][] = [
  ["an owner", "OWNER", 50, true],
  ["a member", "MEMBER", 30, true],
  ["a collaborator", "COLLABORATOR", 20, true],
  ["a guest", "CONTRIBUTOR", 10, false],
  ["somebody with a first pull request", "FIRST_TIME_CONTRIBUTOR", undefined, false],
  ["a stranger", "NONE", undefined, false],
  ["somebody of whom the platform says nothing", undefined, undefined, false],
];
test.each(AUTHORS)(
  "of posts with the first line of an answer, that of %s is followed: %s, %s: %s",
  async (_, association, role, isFollowed) => {
    const user = { type: "User", ...(association !== undefined && { id: 8 }) };
    const mallory = { body: `${MARKER}\nmine`, user, author_association: association };
    const issue = "<!-- perimeter-access: clinic/dev -->\nmine";
    if (role !== undefined) gitLab.members.set(2, role);
    const comment = gitHub.post({ parent: "7", ...mallory });
    const ofGitHub = gitHub.post({ ...mallory, body: issue });
    // A Reporter may change each issue, and only comments of its own.
    const ofGitLab = gitLab.post({ body: issue, state: "opened", author: { id: 2 } });
    const access = () => answer("fine", { operation: "access", exitCode: 0 });
    const as = ["--of", "access", "--as", "issue"];
    for (const run of [onGitHub, onGitLab])
      expect(await run([...access(), ...as])).toMatchObject({ code: 0, stderr: "" });
    for (const note of ["first", "second"]) expect(await onGitHub(answer(note))).toMatchObject({ code: 0, stderr: "" });
    const states = [ofGitHub.state, ofGitLab.state];
    if (isFollowed) {
      expect([states, comment.body]).toEqual([["closed", "closed"], expect.stringContaining("second")]);
      return;
    }
    expect([states, comment.body]).toEqual([["open", "opened"], mallory.body]);
    expect([ofGitHub.body, ofGitLab.body]).toEqual([issue, issue]);
    // It has one of its own.
    expect(gitHub.posts.slice(2)).toEqual([expect.objectContaining({ body: expect.stringContaining("second") })]);
  },
);

test("leaves a comment that the token may not change, and keeps one of its own", async () => {
  gitLab.members.set(2, 30);
  const other = gitLab.post({ body: `${MARKER}\nmine`, author: { id: 2 } });
  for (const note of ["first", "second"]) expect(await onGitLab(answer(note))).toMatchObject({ code: 0, stderr: "" });
  expect(gitLab.posts).toEqual([other, expect.objectContaining({ body: expect.stringContaining("second") })]);
  expect(other.body).toContain("mine");
});

test.each<[string, string, string[]]>([
  ["Pulumi.yaml", "\ufeffname: clinic\n", []],
  ["Pulumi.yaml", "'name': clinic\n", []],
  ["Pulumi.yaml", "name : clinic # ours\n", []],
  ["Pulumi.yaml", "{ runtime: yaml, name: clinic }\n", []],
  ["Pulumi.yaml", "runtime: yaml\nname: >-\n  clinic\n", []],
  ["Pulumi.yml", "name: 'clinic'\n", []],
  ["Pulumi.json", '{"runtime": "yaml", "name": "clinic"}', []],
  ["infra/Pulumi.yaml", "name: clinic\n", ["--", "--cwd", "infra"]],
  ["infra/Pulumi.yaml", "name: clinic\n", ["--", "--cwd=infra"]],
])("a run without an answer replaces the comment of the project in %s: %j, with %j", async (file, text, more) => {
  fs.rmSync(fileOf("Pulumi.yaml"));
  write(file, text);
  postedBefore();
  expect(await onGitHub(["--answer", "absent.json", "--stack", "organization/clinic/dev", ...more])).toMatchObject({
    code: 0,
  });
  expect(bodies()).toEqual([
    expect.stringMatching(/^<!-- perimeter-review: clinic\/dev -->\n### Access review failed\n/),
  ]);
  expect(fs.readFileSync(fileOf("summary.md"), "utf8")).toContain("### Access review failed");
});

test.each([
  "<<<<<<< HEAD\nname: clinic\n=======\nname: clinic # ours\n>>>>>>> main\nruntime: yaml\n",
  "runtime: { name: nodejs\r\n'name': \"clinic\" # ours\r\n",
  "runtime:\n\tname: nodejs\nname: clinic\nname: clinic\n",
])("a run without an answer replaces the comment of the project whose file nobody can read: %j", async (text) => {
  postedBefore();
  write("Pulumi.yaml", text);
  expect(await onGitHub(["--stack", "dev"])).toMatchObject({ code: 0, stderr: "" });
  expect(bodies()).toEqual([
    expect.stringMatching(/^<!-- perimeter-review: clinic\/dev -->\n### Access review failed\n/),
  ]);
});

test("finds the project above the folder of the job, and that of a stack in another folder", async () => {
  write("infra/Pulumi.yaml", "name: network\n");
  await onGitHub(["--stack", "infra/prod"]);
  write("program/x", "");
  const { code } = await onGitLab(["--stack", "dev"], {}, fileOf("program"));
  expect(code).toBe(0);
  expect(bodies()[0]).toMatch(/^<!-- perimeter-review: network\/prod -->/);
  expect(gitLab.posts[0]?.body).toMatch(/^<!-- perimeter-review: clinic\/dev -->/);
});

test.each([
  ["an older commit", { commit: "beef" }, /left to the run of commit beef\./],
  ["another target branch", { target: "release" }, /left to the run of the target branch release\./],
])(
  "a run about %s than the pull request has now changes nothing, with and without an answer",
  async (_, head, said) => {
    postedBefore("newer");
    gitLab.post({ body: `${MARKER}\nnewer` });
    Object.assign(gitHub.head, head);
    Object.assign(gitLab.head, head);
    for (const args of [answer("older"), ["--stack", "dev"]]) {
      expect(await onGitHub(args)).toMatchObject({ code: 0, stdout: expect.stringMatching(said) });
      expect(await onGitLab(args)).toMatchObject({ code: 0, stdout: expect.stringMatching(said) });
    }
    for (const [{ body } = { body: "" }, ...others] of [gitHub.posts, gitLab.posts])
      expect([body, others]).toEqual([expect.stringContaining("newer"), []]);
  },
);

test("in a pipeline of merged results, the commit is that of the source branch", async () => {
  const env = { CI_COMMIT_SHA: "dead", CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: gitLab.head.commit };
  expect(await onGitLab(answer("merged"), env)).toMatchObject({ code: 0, stdout: "" });
  expect(gitLab.posts[0]?.body).toContain("About commit cafe42");
});

test.each<[string, object]>([
  ["merge_group", { merge_group: { base_ref: "refs/heads/main", head_sha: "beef" } }],
  ["workflow_dispatch", { inputs: {}, ref: "refs/heads/main" }],
  ["push", { after: "beef" }],
  ["a comment on an issue", { issue: { number: 7 } }],
])("a run of %s has no pull request to comment on, and does not fail", async (_, event) => {
  expect(await onGitHub(answer("any"), event)).toEqual({
    code: 0,
    stdout: "There is no pull request to comment on.\n",
    stderr: "",
  });
  expect(gitHub.posts).toEqual([]);
});

test("a comment on a pull request starts a run that comments there", async () => {
  const event = { issue: { number: 7, pull_request: { url: "https://api.github.com/repos/team/clinic/pulls/7" } } };
  expect(await onGitHub(answer("asked for"), event)).toMatchObject({ code: 0, stderr: "" });
  expect(gitHub.posts).toEqual([expect.objectContaining({ parent: "7", body: expect.stringContaining("asked for") })]);
});

test("each job has its own comment about several stacks, and about an answer that names no stack", async () => {
  for (const name of ["network", "data"]) write(`infra/${name}/Pulumi.yaml`, `name: ${name}\n`);
  const several = (note: string) => {
    const [, file = ""] = answer(note, { stacks: ["network/prod", "data/prod"] });
    return ["--answer", file, "--stack", "infra/data/prod", "--stack", "infra/network/prod"];
  };
  for (const job of ["a", "b", "a"]) await onGitHub(several(`of ${job}`), REQUEST, { PERIMETER_JOB: `${job} -->` });
  await onGitLab(several("of GitLab"));
  const [flag = "", ofNone = ""] = answer("of no stack", { stack: undefined, project: undefined });
  await onGitLab([flag, ofNone]);
  expect([...bodies(), ...gitLab.posts.map(({ body }) => body)].map((body) => body.split("\n")[0])).toEqual([
    "<!-- perimeter-review: stacks of a%20--%3E -->",
    "<!-- perimeter-review: stacks of b%20--%3E -->",
    "<!-- perimeter-review: stacks of review%3A%20%5Bdev%5D -->",
    "<!-- perimeter-review: update of review%3A%20%5Bdev%5D -->",
  ]);
});

test("on Bitbucket, the stacks of two projects have a report each, also if they have the same name", async () => {
  const bitbucket = await Bitbucket.start();
  const env = {
    PATH: process.env.PATH ?? "",
    BITBUCKET_BUILD_NUMBER: "9",
    BITBUCKET_REPO_FULL_NAME: "team/clinic",
    BITBUCKET_COMMIT: "cafe42",
    PERIMETER_BITBUCKET_PROXY: bitbucket.url,
  };
  for (const [project, exitCode] of [
    ["network", 2],
    ["data", 0],
  ] as const) {
    write(`${project}/Pulumi.yaml`, `name: ${project}\n`);
    const args = answer("any", { project, exitCode });
    expect(await runCommand(["publish", ...args, "--", "--cwd", project], { cwd: folder, env })).toMatchObject({
      code: 0,
    });
  }
  expect(
    [...bitbucket.reports].map(([name, { report }]) => [name.split("/").at(-1), report.title, report.result]),
  ).toEqual([
    ["access-review-network-dev", "Access review of network/dev", "FAILED"],
    ["access-review-data-dev", "Access review of data/dev", "PASSED"],
  ]);
  await bitbucket.stop();
});

test("an answer that names no stack is about the one that the job names, and replaces its comment", async () => {
  for (const names of [{}, { stack: undefined, project: undefined }])
    expect(await onGitHub(answer("any", names))).toMatchObject({ code: 0, stderr: "" });
  expect(bodies()).toEqual([expect.stringMatching(/^<!-- perimeter-review: clinic\/dev -->\n/)]);
});

test("an issue is open while the exit code is not 0, also without an answer", async () => {
  const as = ["--of", "access", "--as", "issue"];
  const access = (note: string, exitCode: 0 | 2 | 3) => answer(note, { operation: "access", exitCode });
  const states = () => [gitHub.posts.map(({ state }) => state), gitLab.posts.map(({ state }) => state)];
  for (const [args, open] of [
    [() => access("fine", 0), []],
    [() => access("unknown", 3), ["open"]],
    [() => ["--stack", "dev"], ["open"]],
    [() => access("fine again", 0), ["closed"]],
  ] as const) {
    expect(await onGitHub([...args(), ...as])).toMatchObject({ code: 0, stderr: "" });
    expect(await onGitLab([...args(), ...as])).toMatchObject({ code: 0, stderr: "" });
    expect(states()).toEqual([
      open,
      open.map((state) => state.replace("open", "opened").replace(/^closed.*/, "closed")),
    ]);
  }
  expect(gitHub.posts[0]?.title).toMatch(/^Access review/);
});

test.each<[string, Record<string, string>, string]>([
  ["a token that is refused", { GITHUB_TOKEN: "expired" }, "GitHub answered 401 to GET"],
  ["no token", { GITHUB_TOKEN: "" }, "There is no token: set PERIMETER_TOKEN or GITHUB_TOKEN"],
  ["a server that does not answer", { GITHUB_API_URL: "http://127.0.0.1:1" }, "GitHub cannot be reached: curl: (7)"],
  ["no curl", { PATH: "/nowhere" }, "The request to GitHub needs curl: "],
  ["no platform", { GITHUB_ACTIONS: "" }, "runs in a job of GitHub, GitLab, Azure Pipelines or Bitbucket"],
  [
    "an event that cannot be read",
    { GITHUB_EVENT_PATH: "/nowhere" },
    "The event of the run (GITHUB_EVENT_PATH) cannot",
  ],
])("%s is an error that says so, without the token", async (_, env, message) => {
  const { code, stderr } = await onGitHub(answer("any"), REQUEST, env);
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  expect(stderr).not.toContain(GitHub.token);
});

test.each<[string, Parameters<typeof emptyAnswer>[1] | string, string[], string]>([
  ["half an answer", "{", [], "review.json is not what"],
  ["another stack", { stack: "prod" }, [], "it is about clinic/prod, and not about clinic/dev"],
  ["another project", { project: "network" }, [], "it is about network/dev, and not about clinic/dev"],
  ["the project above the folder", {}, ["--", "--cwd", "infra"], "it is about clinic/dev, and not about network/dev"],
  [
    "one of several stacks",
    {},
    ["--stack", "infra/dev"],
    "it is about clinic/dev, and not about clinic/dev, network/dev",
  ],
  ["more stacks", { stacks: ["clinic/dev", "network/dev"] }, [], "it is about clinic/dev, network/dev, and not about"],
  ["the current access", { operation: "access" }, [], "it is of the command access, and not of review"],
  ["a plan", {}, ["--of", "access"], "it is of the command review, and not of access"],
])(
  "a file with %s is no answer: exit code 1, and every platform says that there is none",
  async (_, about, more, why) => {
    write("infra/Pulumi.yaml", "name: network\n");
    const args = answer("PASSED", { exitCode: 0, ...(typeof about === "object" && about) });
    if (typeof about === "string") write("review.json", about);
    for (const run of [onGitHub, onGitLab]) {
      const { code, stderr } = await run([...args, ...more]);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: [^\n]+\n$/)]);
      expect(stderr).toContain(why);
    }
    for (const { body } of [...gitHub.posts, ...gitLab.posts]) {
      expect(body).toContain("### Access review failed");
      expect(body).not.toContain("PASSED");
    }
    expect([gitHub.posts.length, gitLab.posts.length]).toEqual([1, 1]);
  },
);

test("an answer belongs to the stacks that the job names in any form, and in any order", async () => {
  write("infra/Pulumi.yaml", "name: network\n");
  for (const [stacks, change] of [
    [["dev"], {}],
    [["organization/clinic/dev"], {}],
    [["example/dev"], {}],
    [["infra/dev"], { project: "network" }],
    [["infra/dev", "dev"], { stacks: ["clinic/dev", "network/dev"] }],
    [["dev"], { stack: undefined, project: undefined }],
    [[], {}],
  ] as const) {
    const [flag = "", file = ""] = answer("fine", change);
    const args = [flag, file, ...stacks.flatMap((each) => ["--stack", each])];
    expect([stacks, await onGitHub(args)]).toEqual([stacks, { code: 0, stdout: "", stderr: "" }]);
  }
});

test("a file of the answer that does not exist is a line in the log", async () => {
  expect(await onGitHub(["--answer", "absent.json", "--stack", "dev"])).toEqual({
    code: 0,
    stdout: "",
    stderr: "warning: absent.json does not exist, so there is no answer: the log of the review says why\n",
  });
});

test("the arguments of curl do not have the token, and curl 7.64 knows all of its options", async () => {
  const real = process.env.PATH ?? "";
  write("bin/curl", `#!/bin/bash\nprintf '%s\\n' "$*" >>'${fileOf("calls")}'\nexec env PATH='${real}' curl "$@"\n`);
  fs.chmodSync(fileOf("bin/curl"), 0o755);
  await onGitHub(answer("any"), REQUEST, { PATH: `${fileOf("bin")}:${real}` });
  const calls = fs.readFileSync(fileOf("calls"), "utf8");
  expect(calls).not.toContain(GitHub.token);
  expect([...new Set(calls.match(/--[a-z-]+/g))].sort()).toEqual(
    ["config", "data-binary", "header", "max-time", "request", "show-error", "silent", "write-out"].map(
      (each) => `--${each}`,
    ),
  );
});
