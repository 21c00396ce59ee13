/** `perimeter approved`: the review that people approved, and no other one. */
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { runCommand } from "../../tests/support/command";
import { ScriptedServer } from "../../tests/support/scripted-server";

/** A project of GitLab, as far as its API shows it. */
interface Project {
  requests: object[];
  /** By the iid of a request, the newest first. */
  pipelines: Record<string, { id: number; sha: string }[]>;
  /** The texts of review.json, by the pipeline and the name of its job. */
  reviews: Record<string, string>;
  parents?: Record<string, string[]>;
}

const MERGED = { iid: 7, state: "merged", target_branch: "main", sha: "head", merge_commit_sha: "cafe" };
const USUAL: Project = {
  requests: [MERGED],
  pipelines: { 7: [{ id: 30, sha: "head" }] },
  reviews: { "30/access-review": '"of 30"' },
};

let folder: string;
let project: Project;
let service: ScriptedServer;
beforeEach(async () => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "perimeter-approved-test-")));
  service = await ScriptedServer.start(({ route, parameters }) => {
    const [, rest = ""] = /^GET \/projects\/5\/(.*)$/.exec(route) ?? [];
    const page = (all?: object[]) =>
      all === undefined ? { status: 404, body: {} } : { status: 200, body: parameters.get("page") === "1" ? all : [] };
    if (rest === "repository/commits/cafe/merge_requests") return page(project.requests);
    const [, iid] = /^merge_requests\/(\d+)\/pipelines$/.exec(rest) ?? [];
    if (iid !== undefined) return page(project.pipelines[iid]);
    const [, pipeline] = /^pipelines\/(\d+)\/jobs$/.exec(rest) ?? [];
    const names = ["build", "access-review", "review of network"];
    if (pipeline !== undefined) return page(names.map((name, at) => ({ id: Number(pipeline) * 10 + at, name })));
    const [, job] = /^jobs\/(\d+)\/artifacts\/review\.json$/.exec(rest) ?? [];
    const review = project.reviews[`${Math.floor(Number(job) / 10)}/${names[Number(job) % 10]}`];
    if (review !== undefined) return { status: 200, body: review.startsWith("<") ? review : `{ "review": ${review} }` };
    const [, commit = ""] = /^repository\/commits\/(\w+)$/.exec(rest) ?? [];
    const parent_ids = project.parents?.[commit];
    return parent_ids === undefined ? { status: 404, body: {} } : { status: 200, body: { id: commit, parent_ids } };
  });
});
afterEach(async () => {
  await service.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const file = () => path.join(folder, "approved.json");
const approved = (change: Partial<Project>, ...args: string[]) => {
  project = { ...USUAL, ...change };
  return runCommand(["approved", "--output", "approved.json", ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? "",
      CI_API_V4_URL: service.url,
      CI_PROJECT_ID: "5",
      CI_COMMIT_SHA: "cafe",
      CI_COMMIT_BRANCH: "main",
      REVIEW_TOKEN: "glpat-not-a-real-token",
    },
  });
};

test.each<[string, Partial<Project>, string[], string]>([
  ["with a merge commit", {}, [], "of 30"],
  [
    "with a squashed commit",
    { requests: [{ ...MERGED, merge_commit_sha: null, squash_commit_sha: "cafe" }] },
    [],
    "of 30",
  ],
  [
    "by moving the branch",
    { requests: [{ ...MERGED, merge_commit_sha: null, sha: "cafe" }], pipelines: { 7: [{ id: 30, sha: "cafe" }] } },
    [],
    "of 30",
  ],
  ["as a part of a train", { requests: [{ ...MERGED, merge_commit_sha: "other" }] }, [], "of 30"],
  [
    "after a pipeline of merged results",
    { pipelines: { 7: [{ id: 30, sha: "result" }] }, parents: { result: ["main", "head"] } },
    [],
    "of 30",
  ],
  [
    "beside requests into other branches",
    { requests: [{ ...MERGED, iid: 8, target_branch: "next" }, { ...MERGED, iid: 9, state: "closed" }, MERGED] },
    [],
    "of 30",
  ],
  [
    "beside another request that has the commit, too",
    { requests: [{ ...MERGED, iid: 8, merge_commit_sha: "later" }, MERGED] },
    [],
    "of 30",
  ],
  [
    "whose newest pipelines are of an older commit, or have no review",
    {
      pipelines: {
        7: [
          { id: 50, sha: "older" },
          { id: 40, sha: "head" },
          { id: 30, sha: "head" },
        ],
      },
      reviews: { "50/access-review": '"of 50"', "30/access-review": '"of 30"' },
      parents: { older: ["main"] },
    },
    [],
    "of 30",
  ],
  [
    "with a job of another name",
    { reviews: { "30/access-review": '"of 30"', "30/review of network": '"of network"' } },
    ["--job", "review of network"],
    "of network",
  ],
])("finds the review of a request that was merged %s", async (_, change, args, found) => {
  expect(await approved(change, ...args)).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(JSON.parse(fs.readFileSync(file(), "utf8"))).toEqual({ review: found });
});

test.each<[string, Partial<Project>, string]>([
  ["no request", { requests: [] }, "No merge request was merged into main with cafe"],
  ["a request that is open", { requests: [{ ...MERGED, state: "opened" }] }, "No merge request was merged into main"],
  ["a request into another branch", { requests: [{ ...MERGED, target_branch: "next" }] }, "merged into main"],
  [
    "two requests",
    { requests: [MERGED, { ...MERGED, iid: 8 }] },
    "It is not clear whose review counts: !7 and !8 were merged into main with cafe",
  ],
  [
    "a review of an older commit",
    { pipelines: { 7: [{ id: 30, sha: "older" }] }, parents: { older: ["main"] } },
    "The merge request !7 has no review: no pipeline of its last commit head has a job access-review with review.json",
  ],
  ["a pipeline whose commit cannot be read", { pipelines: { 7: [{ id: 30, sha: "gone" }] } }, "!7 has no review"],
  ["no pipeline", { pipelines: { 7: [] } }, "!7 has no review"],
  ["no artifact", { reviews: {} }, "!7 has no review"],
  ["an artifact that is a page", { reviews: { "30/access-review": "<html>" } }, "without JSON"],
])("%s is no review, and the update does not run", async (_, change, message) => {
  const { code, stderr } = await approved(change);
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  expect(fs.existsSync(file())).toBe(false);
});

test("a committed file is not the review that was approved", async () => {
  fs.writeFileSync(file(), "committed");
  expect((await approved({ requests: [] })).code).toBe(1);
  expect(fs.existsSync(file())).toBe(false);
});
