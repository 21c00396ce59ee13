/** A stand-in for the threads of a pull request in Azure Repos. */
import { z } from "zod";
import { StandIn, type ServedAnswer, type ServedRequest } from "../../support/scripted-server";

interface Thread {
  id: number;
  status?: string;
  isDeleted: boolean;
  comments: { id: number; content?: string; commentType: string; isDeleted?: boolean }[];
}

const content = z.string().min(1).max(150_000);
const created = z.strictObject({
  comments: z.tuple([z.strictObject({ content, commentType: z.literal("text") })]),
  status: z.enum(["active", "fixed", "wontFix", "closed", "byDesign", "pending"]),
});
const changed = z.strictObject({ content });

/** https://learn.microsoft.com/rest/api/azure/devops/git/pull-request-threads */
export class AzureRepos extends StandIn {
  static readonly token = "not-a-real-system-access-token";
  /** What the service writes itself, a deleted comment, and a comment of a person. */
  readonly threads: Thread[] = [
    { id: 1, isDeleted: false, comments: [{ id: 1, content: "Ada joined as a reviewer", commentType: "system" }] },
    { id: 2, isDeleted: true, comments: [{ id: 1, commentType: "text", isDeleted: true }] },
    { id: 3, status: "active", isDeleted: false, comments: [{ id: 1, content: "built", commentType: "text" }] },
  ];

  /** The pull request. */
  readonly head = { commit: "cafe42", target: "main" };

  /** The address of the organization, with a slash at its end as System.CollectionUri has it. */
  override get url(): string {
    return `${super.url}/example/`;
  }

  protected serve({ route, parameters, headers, json }: ServedRequest): ServedAnswer {
    if (headers.authorization !== `Bearer ${AzureRepos.token}`) return { status: 401, body: {} };
    if (route === "GET /example/project-id/_apis/git/repositories/repository-id/pullRequests/7") {
      const { commit, target } = this.head;
      return {
        status: 200,
        body: { lastMergeSourceCommit: { commitId: commit }, targetRefName: `refs/heads/${target}` },
      };
    }
    const [, method, thread, comment] =
      /^(\w+) \/example\/project-id\/_apis\/git\/repositories\/repository-id\/pullRequests\/7\/threads(?:\/(\d+)\/comments\/(\d+))?$/.exec(
        route,
      ) ?? [];
    if (method === undefined || parameters.get("api-version") !== "7.1") return { status: 404, body: {} };
    if (method === "GET") return { status: 200, body: { value: this.threads, count: this.threads.length } };
    if (headers["content-type"] !== "application/json") return { status: 415, body: {} };
    if (method === "POST" && thread === undefined) {
      const { comments, status } = created.parse(json());
      const made = { id: this.threads.length + 1, status, isDeleted: false, comments: [{ id: 1, ...comments[0] }] };
      this.threads.push(made);
      return { status: 200, body: made };
    }
    const found = this.threads.find(({ id }) => `${id}` === thread)?.comments.find(({ id }) => `${id}` === comment);
    if (method !== "PATCH" || found === undefined) return { status: 404, body: {} };
    return { status: 200, body: Object.assign(found, changed.parse(json())) };
  }
}
