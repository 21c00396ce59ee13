import { gitLabProject } from "./gitlab";
import { textAt, valueIn, type Environment } from "./platform";
import type { Terminal } from "../terminal";
import { removeFile, writeAtomically } from "../files";

/** Options of `perimeter approved`, with commander's names. */
export interface ApprovedOptions {
  /** Path of a file. */
  output: string;
  /** The name of the job that made the review. */
  job: string;
}

/** The file of the template of GitLab, in the folder of the repository. */
const REVIEW = "review.json";

/**
 * Gets the review of the merge request that this commit merged into the branch of this pipeline: the file review.json of the newest
 * pipeline that reviewed its last commit and has the file.
 * https://docs.gitlab.com/api/commits/, https://docs.gitlab.com/api/merge_requests/ and https://docs.gitlab.com/api/job_artifacts/
 *
 * @returns 0
 * @throws Error if there is none, and outside of a job of GitLab
 */
export async function runApproved(
  { output, job: name }: ApprovedOptions,
  { environment = process.env }: Terminal,
): Promise<number> {
  removeFile(output);
  const api = gitLabProject(environment);
  const { project, rest } = api;
  const request = await mergedRequest(api, environment);
  const iid = textAt(request, "iid");
  const head = textAt(request, "sha");
  for (const pipeline of await rest.list(`${project}/merge_requests/${iid}/pipelines?`)) {
    if (!(await isAbout(head, textAt(pipeline, "sha"), api))) continue;
    const jobs = await rest.list(`${project}/pipelines/${textAt(pipeline, "id")}/jobs?`);
    const job = jobs.find((each) => textAt(each, "name") === name);
    const review = job && (await rest.read(`${project}/jobs/${textAt(job, "id")}/artifacts/${REVIEW}`));
    if (review === undefined) continue;
    writeAtomically([{ path: output, text: `${JSON.stringify(review, null, 2)}\n` }]);
    return 0;
  }
  throw new Error(
    `The merge request !${iid} has no review: no pipeline of its last commit ${head} has a job ${name} with ${REVIEW}`,
  );
}

type Api = ReturnType<typeof gitLabProject>;

/** A commit may belong to several requests, such as one into another branch: one of them brought it into this branch. */
async function mergedRequest({ project, rest }: Api, environment: Environment): Promise<unknown> {
  const commit = valueIn(environment, "CI_COMMIT_SHA");
  const branch = valueIn(environment, "CI_COMMIT_BRANCH");
  const all = await rest.list(`${project}/repository/commits/${commit}/merge_requests?`);
  const merged = all.filter((each) => textAt(each, "state") === "merged" && textAt(each, "target_branch") === branch);
  // Which of them is set depends on how the project merges.
  const names = ["merge_commit_sha", "squash_commit_sha", "sha"];
  const exact = merged.filter((each) => names.some((field) => textAt(each, field) === commit));
  const [request, another] = exact.length > 0 ? exact : merged;
  if (request === undefined) throw new Error(`No merge request was merged into ${branch} with ${commit}`);
  if (another === undefined) return request;
  const both = [request, another].map((each) => `!${textAt(each, "iid")}`).join(" and ");
  throw new Error(`It is not clear whose review counts: ${both} were merged into ${branch} with ${commit}`);
}

/** Whether a pipeline ran for the last commit of a request: for itself, or for its merge with the target branch. */
async function isAbout(head: string, commit: string, { project, rest }: Api): Promise<boolean> {
  if (head === "" || commit === "") return false;
  if (commit === head) return true;
  const found = await rest.read(`${project}/repository/commits/${commit}`);
  const parents: unknown = found === undefined ? undefined : Reflect.get(found as object, "parent_ids");
  return Array.isArray(parents) && parents.includes(head);
}
