import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import {
  once,
  textAt,
  tokenIn,
  valueIn,
  type Environment,
  type Job,
  type Platform,
  type Post,
  type Posts,
} from "./platform";
import { Rest } from "./rest";

/** Those of members of the repository: https://docs.github.com/en/graphql/reference/enums#commentauthorassociation */
const ASSOCIATIONS = ["OWNER", "MEMBER", "COLLABORATOR"];

/**
 * GitHub: https://docs.github.com/en/rest/issues/comments, and the events of
 * https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows
 */
export function gitHub(environment: Environment): Platform {
  const value = (name: string) => valueIn(environment, name);
  const repository = `${value("GITHUB_API_URL")}/repos/${value("GITHUB_REPOSITORY")}`;
  const token = tokenIn(environment, ["PERIMETER_TOKEN", "GITHUB_TOKEN"]);
  const rest = new Rest({
    platform: "GitHub",
    header: `Authorization: Bearer ${token}`,
    needs: "`pull-requests: write` for a comment, or `issues: write` for an issue (`permissions` of the job)",
    environment,
  });
  const event = eventIn(environment);
  const { number, ...head } = pullRequestIn(event);
  const job: Job = {
    name: environment.PERIMETER_JOB || `${value("GITHUB_WORKFLOW")}/${value("GITHUB_JOB")}`,
    log: `${value("GITHUB_SERVER_URL")}/${value("GITHUB_REPOSITORY")}/actions/runs/${value("GITHUB_RUN_ID")}`,
    head,
  };
  const own = once(async () => textAt(await rest.read(`${value("GITHUB_API_URL")}/user`), "id"));
  const postOf = (each: unknown, id: string): Post => ({
    id: textAt(each, id),
    body: textAt(each, "body"),
    isOfProject: async () =>
      textAt(each, "user", "type") === "Bot" ||
      ASSOCIATIONS.includes(textAt(each, "author_association")) ||
      (textAt(each, "user", "id") !== "" && textAt(each, "user", "id") === (await own())),
  });
  const issues: Posts = {
    list: async () =>
      (await rest.list(`${repository}/issues?state=open`))
        .filter((each) => textAt(each, "pull_request", "url") === "")
        .map((each) => postOf(each, "number")),
    add: (body, title) => rest.create(`${repository}/issues`, { title, body }),
    change: (id, body, isOpen) =>
      rest.change("PATCH", `${repository}/issues/${id}`, { body, ...(!isOpen && { state: "closed" }) }),
  };
  const base = { job, issues, ...(environment.GITHUB_STEP_SUMMARY && { summary: environment.GITHUB_STEP_SUMMARY }) };
  if (number === "") return base;
  const ofRequest = `${repository}/issues/${number}/comments`;
  return {
    ...base,
    comments: {
      list: async () => (await rest.list(`${ofRequest}?sort=created`)).map((each) => postOf(each, "id")),
      add: (body) => rest.create(ofRequest, { body }),
      change: (id, body) => rest.change("PATCH", `${repository}/issues/comments/${id}`, { body }),
    },
    now: async () => {
      const found = await rest.read(`${repository}/pulls/${number}`);
      return found === undefined
        ? undefined
        : { commit: textAt(found, "head", "sha"), target: textAt(found, "base", "ref") };
    },
  };
}

/** What started the run. */
function eventIn({ GITHUB_EVENT_PATH: file }: Environment): unknown {
  try {
    return file ? JSON.parse(readFileSync(file, "utf8")) : {};
  } catch (error) {
    throw new Error(`The event of the run (GITHUB_EVENT_PATH) cannot be read: ${String(error)}`, { cause: error });
  }
}

/** The pull request of an event: of the event itself, or of a comment on one. The number is empty without one. */
function pullRequestIn(event: unknown): { number: string; commits: readonly string[]; target?: string } {
  const number = textAt(event, "pull_request", "number");
  if (number !== "") {
    const commits = [textAt(event, "pull_request", "head", "sha")];
    return { number, commits, target: textAt(event, "pull_request", "base", "ref") };
  }
  const isOnRequest = textAt(event, "issue", "pull_request", "url") !== "";
  return { number: isOnRequest ? textAt(event, "issue", "number") : "", commits: commitsHere() };
}

/** The commit of this folder, and its parents: a job may check out the merge that GitHub tries. Empty outside of a repository. */
function commitsHere(): string[] {
  const { stdout } = spawnSync("git", ["cat-file", "commit", "HEAD"], { encoding: "utf8" });
  const parents = [...(stdout ?? "").matchAll(/^parent (\S+)$/gm)].map(([, parent = ""]) => parent);
  const { stdout: own } = spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" });
  return [...(own ?? "").trim().split("\n"), ...parents].filter((each) => /^[0-9a-f]{40,}$/.test(each));
}
