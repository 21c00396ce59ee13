import { once, textAt, tokenIn, valueIn, type Environment, type Platform, type Posts } from "./platform";
import { Rest } from "./rest";

/** The API of the job's project at GitLab. */
export function gitLabProject(environment: Environment): { project: string; rest: Rest } {
  const project = `${valueIn(environment, "CI_API_V4_URL")}/projects/${valueIn(environment, "CI_PROJECT_ID")}`;
  const rest = new Rest({
    platform: "GitLab",
    header: `PRIVATE-TOKEN: ${tokenIn(environment, ["REVIEW_TOKEN"])}`,
    needs: "the scope `api` and the role Reporter",
    environment,
  });
  return { project, rest };
}

/** The role of the token: https://docs.gitlab.com/api/access_requests/#valid-access-levels */
const REPORTER = 20;

/** GitLab: https://docs.gitlab.com/api/notes/ and https://docs.gitlab.com/ci/variables/predefined_variables/ */
export function gitLab(environment: Environment): Platform {
  const { project, rest } = gitLabProject(environment);
  const own = once(async () => textAt(await rest.read(`${valueIn(environment, "CI_API_V4_URL")}/user`), "id"));
  const isOfProject = async (user: string) => {
    if (user === "") return false;
    if (user === (await own())) return true;
    const member = await rest.read(`${project}/members/all/${user}`);
    return Number(textAt(member, "access_level")) >= REPORTER;
  };
  const postsIn = (url: string, field: string, close: object): Posts => ({
    list: async () =>
      (await rest.list(`${url}?sort=asc&state=opened&scope=all`)).map((each) => ({
        id: textAt(each, field === "body" ? "id" : "iid"),
        body: textAt(each, field),
        isOfProject: () => isOfProject(textAt(each, "author", "id")),
      })),
    add: (text, title) => rest.create(url, { title, [field]: text }),
    change: (id, text, isOpen) => rest.change("PUT", `${url}/${id}`, { [field]: text, ...(!isOpen && close) }),
  });
  const { CI_MERGE_REQUEST_IID: request, CI_MERGE_REQUEST_TARGET_BRANCH_NAME: target } = environment;
  // In a pipeline of merged results, CI_COMMIT_SHA is the commit of the merge.
  const commit = environment.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA || environment.CI_COMMIT_SHA;
  const base = {
    job: {
      name: environment.CI_JOB_NAME ?? "",
      log: valueIn(environment, "CI_JOB_URL"),
      head: { commits: commit ? [commit] : [], ...(target && { target }) },
    },
    issues: postsIn(`${project}/issues`, "description", { state_event: "close" }),
  };
  if (!request) return base;
  return {
    ...base,
    comments: postsIn(`${project}/merge_requests/${request}/notes`, "body", {}),
    now: async () => {
      const found = await rest.read(`${project}/merge_requests/${request}`);
      return found === undefined ? undefined : { commit: textAt(found, "sha"), target: textAt(found, "target_branch") };
    },
  };
}
