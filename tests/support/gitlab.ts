/** A stand-in for the notes of a merge request and the issues of GitLab's API. */
import { z } from "zod";
import { StandIn, type ServedAnswer, type ServedRequest } from "./scripted-server";

interface GitLabPost {
  id: number;
  iid: number;
  /** Of an issue; without one, it is a note. */
  state?: string;
  title?: string;
  body: string;
  author: { id: number };
}

const sent = z.object({
  title: z.string().optional(),
  body: z.string().optional(),
  description: z.string().optional(),
  state_event: z.literal("close").optional(),
});

/**
 * The documented behaviour of https://docs.gitlab.com/api/notes/ and https://docs.gitlab.com/api/issues/: lists have pages, and a
 * Reporter may change every issue, and only those notes that it wrote.
 */
export class GitLab extends StandIn {
  static readonly token = "glpat-not-a-real-token";
  static readonly own = 1;
  readonly posts: GitLabPost[] = [];
  /** The roles of members, by their ids. */
  readonly members = new Map<number, number>();
  readonly head = { commit: "cafe42".padEnd(40, "0"), target: "main" };

  post(post: Partial<GitLabPost>): GitLabPost {
    const id = this.posts.length + 1;
    const made: GitLabPost = { id: 1000 + id, iid: id, body: "", author: { id: GitLab.own }, ...post };
    this.posts.push(made);
    return made;
  }

  protected serve({ route, headers, parameters, json }: ServedRequest): ServedAnswer {
    if (headers["private-token"] !== GitLab.token) return { status: 401, body: { message: "401 Unauthorized" } };
    if (route === "GET /user") return { status: 200, body: { id: GitLab.own } };
    const [, member] = /^GET \/projects\/5\/members\/all\/(\d+)$/.exec(route) ?? [];
    const access_level = this.members.get(Number(member));
    if (access_level !== undefined) return { status: 200, body: { id: Number(member), access_level } };
    if (route === "GET /projects/5/merge_requests/7")
      return { status: 200, body: { sha: this.head.commit, target_branch: this.head.target } };
    const [, method, kind, id] =
      /^(GET|POST|PUT) \/projects\/5\/(merge_requests\/7\/notes|issues)(?:\/(\d+))?$/.exec(route) ?? [];
    if (method === undefined) return { status: 404, body: { message: "404 Not found" } };
    const ofIssues = kind === "issues";
    const all = this.posts.filter((each) =>
      ofIssues ? each.state === "opened" || id !== undefined : each.state === undefined,
    );
    if (method === "GET") {
      const size = Number(parameters.get("per_page"));
      const first = (Number(parameters.get("page")) - 1) * size;
      return { status: 200, body: all.slice(first, first + size).map(shown) };
    }
    const { body, description, title, state_event } = sent.parse(json());
    if (method === "POST") {
      const text = { body: body ?? description ?? "", ...(ofIssues && { title, state: "opened" }) };
      return { status: 201, body: shown(this.post(text)) };
    }
    const found = all.find((each) => `${ofIssues ? each.iid : each.id}` === id);
    if (found === undefined) return { status: 404, body: { message: "404 Not found" } };
    if (!ofIssues && found.author.id !== GitLab.own) return { status: 403, body: { message: "403 Forbidden" } };
    Object.assign(found, { body: body ?? description ?? found.body, ...(state_event && { state: "closed" }) });
    return { status: 200, body: shown(found) };
  }
}

function shown(post: GitLabPost): object {
  return post.state === undefined ? post : { ...post, description: post.body };
}
