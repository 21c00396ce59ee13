import { textAt, tokenIn, valueIn, type Environment, type Platform } from "./platform";
import { Rest } from "./rest";

const VERSION = "api-version=7.1";

/**
 * Azure Repos: https://learn.microsoft.com/rest/api/azure/devops/git/pull-request-threads and
 * https://learn.microsoft.com/azure/devops/pipelines/build/variables
 */
export function azure(environment: Environment): Platform {
  const value = (name: string) => valueIn(environment, name);
  const project = `${value("SYSTEM_COLLECTIONURI")}${value("SYSTEM_TEAMPROJECTID")}`;
  const rest = new Rest({
    platform: "Azure Repos",
    header: `Authorization: Bearer ${tokenIn(environment, ["SYSTEM_ACCESSTOKEN"])}`,
    needs: "the permission Contribute to pull requests, of the build service of the project",
    environment,
  });
  const { SYSTEM_PULLREQUEST_PULLREQUESTID: request, SYSTEM_PULLREQUEST_SOURCECOMMITID: commit } = environment;
  const target = environment.SYSTEM_PULLREQUEST_TARGETBRANCH;
  const base = {
    job: {
      name: `${environment.BUILD_DEFINITIONNAME ?? ""}/${environment.SYSTEM_JOBNAME ?? ""}`,
      log: `${project}/_build/results?buildId=${value("BUILD_BUILDID")}`,
      head: { commits: commit ? [commit] : [], ...(target && { target: shortBranch(target) }) },
    },
  };
  if (!request) return base;
  const ofRequest = `${project}/_apis/git/repositories/${value("BUILD_REPOSITORY_ID")}/pullRequests/${request}`;
  const threads = `${ofRequest}/threads`;
  return {
    ...base,
    comments: {
      list: async () =>
        (await rest.entries(`${threads}?${VERSION}`, "value")).map((thread) => {
          const { comments } = thread as { comments?: unknown[] };
          const [first] = comments ?? [];
          return { id: `${textAt(thread, "id")}/comments/${textAt(first, "id")}`, body: textAt(first, "content") };
        }),
      add: (content) =>
        rest.create(`${threads}?${VERSION}`, { comments: [{ content, commentType: "text" }], status: "closed" }),
      change: (id, content) => rest.change("PATCH", `${threads}/${id}?${VERSION}`, { content }),
    },
    now: async () => {
      const found = await rest.read(`${ofRequest}?${VERSION}`);
      return found === undefined
        ? undefined
        : {
            commit: textAt(found, "lastMergeSourceCommit", "commitId"),
            target: shortBranch(textAt(found, "targetRefName")),
          };
    },
  };
}

function shortBranch(name: string): string {
  return name.replace(/^refs\/heads\//, "");
}
