import { gitLabProject } from "./gitlab";
import { textAt, valueIn } from "./platform";
import type { Terminal } from "../terminal";
import { writeAtomically } from "../files";

/** Options of `perimeter approved`, with commander's names. */
export interface ApprovedOptions {
  /** Path of a file. */
  output: string;
  /** The name of the job that made the review. */
  job: string;
}

/**
 * Gets the review of the merge request that was merged with the commit of this pipeline: the file review.json of its last pipeline.
 * https://docs.gitlab.com/api/commits/ and https://docs.gitlab.com/api/job_artifacts/
 *
 * @returns 0
 * @throws Error if there is none, and outside of a job of GitLab
 */
export async function runApproved(
  { output, job: name }: ApprovedOptions,
  { environment = process.env }: Terminal,
): Promise<number> {
  const { project, rest } = gitLabProject(environment);
  const commit = valueIn(environment, "CI_COMMIT_SHA");
  const list = async (path: string) => (await rest.send("GET", `${project}/${path}`)) as unknown[];
  const requests = await list(`repository/commits/${commit}/merge_requests`);
  const request = textAt(
    requests.find((each) => textAt(each, "state") === "merged"),
    "iid",
  );
  if (request === "") throw new Error(`No merge request was merged with ${commit}`);
  const none = new Error(`The merge request !${request} has no review: no job ${name} with review.json`);
  const [pipeline] = await list(`merge_requests/${request}/pipelines`);
  if (pipeline === undefined) throw none;
  const jobs = await list(`pipelines/${textAt(pipeline, "id")}/jobs?per_page=100`);
  const job = jobs.find((each) => textAt(each, "name") === name);
  if (job === undefined) throw none;
  const review = await rest.read(`${project}/jobs/${textAt(job, "id")}/artifacts/review.json`);
  if (review === undefined) throw none;
  writeAtomically([{ path: output, text: `${JSON.stringify(review, null, 2)}\n` }]);
  return 0;
}
