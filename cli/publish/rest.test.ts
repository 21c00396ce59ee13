/** What an API answers is believed only where it is what the API documents, and an API that is out of order is asked again. */
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { emptyAnswer } from "../../tests/support/answers";
import { runCommand } from "../../tests/support/command";
import { casesHere } from "../../tests/support/test-all";
import {
  ScriptedServer,
  type Answered,
  type ServedAnswer,
  type ServedRequest,
} from "../../tests/support/scripted-server";

// The pauses between the attempts.
jest.mock("node:timers/promises", () => ({ setTimeout: jest.fn(() => Promise.resolve()) }));

const COMMIT = "cafe42".padEnd(40, "0");
let folder: string;
/** What the API answers, and the requests that it got. */
let api: (request: ServedRequest) => Answered;
let service: ScriptedServer;
let requests: string[];
beforeEach(async () => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "perimeter-rest-test-")));
  fs.writeFileSync(path.join(folder, "Pulumi.yaml"), "name: clinic\n");
  fs.writeFileSync(path.join(folder, "review.json"), JSON.stringify(emptyAnswer("the answer")));
  const event = { pull_request: { number: 7, head: { sha: COMMIT }, base: { ref: "main" } } };
  fs.writeFileSync(path.join(folder, "event.json"), JSON.stringify(event));
  requests = [];
  service = await ScriptedServer.start((request) => {
    requests.push(request.route);
    return api(request);
  });
  jest.mocked(sleep).mockClear();
});
afterEach(async () => {
  await service.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

interface Job {
  env: () => Record<string, string>;
  /** The routes of the pull request, of the list of comments and of a new one, and of a comment. */
  now: string;
  list: string;
  change: string;
  head: (commit: string) => object;
  /** A list of comments with these texts. */
  comments: (bodies: readonly string[]) => unknown;
}
const AZURE = "/example/p/_apis/git/repositories/r/pullRequests/7";
const JOBS: Record<string, Job> = {
  GitHub: {
    env: () => ({
      GITHUB_ACTIONS: "true",
      GITHUB_API_URL: service.url,
      GITHUB_REPOSITORY: "team/clinic",
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_RUN_ID: "42",
      GITHUB_WORKFLOW: "CI",
      GITHUB_JOB: "review",
      GITHUB_EVENT_PATH: path.join(folder, "event.json"),
      GITHUB_TOKEN: "ghs_not-a-real-token",
    }),
    now: "/repos/team/clinic/pulls/7",
    list: "/repos/team/clinic/issues/7/comments",
    change: "PATCH /repos/team/clinic/issues/comments/1",
    head: (sha) => ({ head: { sha }, base: { ref: "main" } }),
    comments: (bodies) => bodies.map((body, at) => ({ id: at + 1, body, user: { type: "Bot" } })),
  },
  GitLab: {
    env: () => ({
      GITLAB_CI: "true",
      CI_API_V4_URL: service.url,
      CI_PROJECT_ID: "5",
      CI_MERGE_REQUEST_IID: "7",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      CI_COMMIT_SHA: COMMIT,
      CI_JOB_URL: "https://gitlab.example/jobs/42",
      REVIEW_TOKEN: "glpat-not-a-real-token",
    }),
    now: "/projects/5/merge_requests/7",
    list: "/projects/5/merge_requests/7/notes",
    change: "PUT /projects/5/merge_requests/7/notes/1",
    head: (sha) => ({ sha, target_branch: "main" }),
    comments: (bodies) => bodies.map((body, at) => ({ id: at + 1, body, author: { id: 1 } })),
  },
  "Azure Repos": {
    env: () => ({
      TF_BUILD: "True",
      SYSTEM_COLLECTIONURI: `${service.url}/example/`,
      SYSTEM_TEAMPROJECTID: "p",
      SYSTEM_PULLREQUEST_PULLREQUESTID: "7",
      SYSTEM_PULLREQUEST_SOURCECOMMITID: COMMIT,
      SYSTEM_PULLREQUEST_TARGETBRANCH: "refs/heads/main",
      SYSTEM_ACCESSTOKEN: "not-a-real-token",
      BUILD_BUILDID: "42",
      BUILD_REPOSITORY_ID: "r",
    }),
    now: AZURE,
    list: `${AZURE}/threads`,
    change: `PATCH ${AZURE}/threads/1/comments/1`,
    head: (commitId) => ({ lastMergeSourceCommit: { commitId }, targetRefName: "refs/heads/main" }),
    comments: (bodies) => ({
      value: bodies.map((content, at) => ({ id: at + 1, comments: [{ id: 1, content }] })),
    }),
  },
};
const PLATFORMS = Object.keys(JOBS);
const job = (name: string): Job => {
  const found = JOBS[name];
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
};
const publish = (platform: string) =>
  runCommand(["publish", "--answer", "review.json", "--stack", "dev"], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", ...job(platform).env() },
  });

const OLD = "<!-- perimeter-review: clinic/dev -->\nbefore";
const HTML: ServedAnswer = { status: 200, body: "<html>Sign in</html>" };

/** https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit */
const LIMITED: ServedAnswer = { status: 403, body: { message: "API rate limit exceeded for installation ID 1." } };

/** An API with these comments, which gives other answers to some requests: undefined for its own. */
function apiOf(platform: string, bodies: string[], other: (route: string) => Answered | undefined = () => undefined) {
  const { now, list, change, head, comments } = job(platform);
  return ({ route, parameters, json }: ServedRequest): Answered => {
    const given = other(route);
    if (given !== undefined) return given;
    if (route === `GET ${now}`) return { status: 200, body: head(COMMIT) };
    if (route === `GET ${list}`)
      return { status: 200, body: comments((parameters.get("page") ?? "1") === "1" ? bodies : []) };
    if (route === "GET /user") return { status: 200, body: { id: 1 } };
    const texts = () => JSON.stringify(json());
    if (route === `POST ${list}`) return { status: 201, body: { id: bodies.push(texts()) } };
    if (route === change) return { status: 200, body: { id: (bodies[0] = texts()).length } };
    return { status: 404, body: { message: "Not Found" } };
  };
}

const WRONG: [string, "now" | "list" | "add" | "change", Answered, string][] = [
  ["a page in place of the pull request", "now", HTML, "without JSON"],
  ["a page in place of the list", "list", HTML, "without JSON"],
  ["a page in place of what was added", "add", { ...HTML, status: 203 }, "without JSON"],
  ["a page in place of what was changed", "change", HTML, "without JSON"],
  ["nothing in place of the list", "list", { status: 204, body: "" }, "without JSON"],
  ["a list that is none", "list", { status: 200, body: {} }, "without a list"],
  ["a new comment without an id", "add", { status: 201, body: {} }, "without the id"],
  ["a pull request that fails", "now", { status: 500, body: {} }, "answered 500"],
  ["a pull request that another token may read", "now", { status: 401, body: {} }, "answered 401"],
  ["a pull request elsewhere", "now", { status: 302, body: "" }, "answered 302"],
  ["a pull request that too many ask for", "now", LIMITED, "answered 403"],
  ["a comment that too many change", "change", LIMITED, "answered 403"],
  ["a list that fails", "list", { status: 502, body: "Bad Gateway" }, "answered 502"],
  ["a connection that ends", "now", "break", "cannot be reached"],
];
const wrong = PLATFORMS.flatMap((platform) =>
  WRONG.map(([title, at, answer, said]): [string, string, "now" | "list" | "add" | "change", Answered, string] => [
    platform,
    title,
    at,
    answer,
    said,
  ]),
);
/** Of each platform, each kind of request with an answer that is none; what else is wrong is read by the code of all, by turns. */
const wrongHere = casesHere(
  wrong,
  ([, , , , said], index) => said === "without JSON" || index % PLATFORMS.length === 0,
  ([platform, title]) => `${platform}: ${title}`,
);
test.each(wrongHere)(
  "%s: %s is an error that names platform, method and address",
  async (platform, _, at, answer, said) => {
    const { now, list, change } = job(platform);
    const route = { now: `GET ${now}`, list: `GET ${list}`, add: `POST ${list}`, change }[at];
    const bodies = at === "add" ? [] : [OLD];
    api = apiOf(platform, bodies, (each) => (each === route ? answer : undefined));
    const { code, stderr } = await publish(platform);
    expect([code, stderr]).toEqual([1, expect.stringContaining(said)]);
    expect(stderr).toContain(`error: ${platform} `);
    if (answer !== "break")
      expect(stderr).toContain(`${route.split(" ")[0]} ${route.split(" ")[1]}`.replace(" ", ` ${service.url}`));
    // What is there is as it was.
    expect(bodies).toEqual(at === "add" ? [] : [OLD]);
  },
);

test.each(PLATFORMS.flatMap((platform) => [403, 404].map((status): [string, number] => [platform, status])))(
  "%s: with %d, the token may not read the pull request, and the comment is kept without it",
  async (platform, status) => {
    const bodies = [OLD];
    api = apiOf(platform, bodies, (route) => (route === `GET ${job(platform).now}` ? { status, body: {} } : undefined));
    expect(await publish(platform)).toMatchObject({ code: 0, stderr: "" });
    expect(bodies).toEqual([expect.stringContaining("the answer")]);
  },
);

const PASSING: [string, Answered][] = [
  ["502", { status: 502, body: "Bad Gateway" }],
  ["503", { status: 503, body: {} }],
  ["a connection that ends", "break"],
];
test.each(
  casesHere(
    PLATFORMS.flatMap((platform) =>
      PASSING.map(([title, answer]): [string, string, Answered] => [platform, title, answer]),
    ),
    // Each platform and each failure once.
    (_, index) => index % (PASSING.length + 1) === 0,
    ([platform, title]) => `${platform}: ${title}`,
  ),
)("%s: each request that ends with %s is repeated", async (platform, _, answer) => {
  for (const bodies of [[OLD], []] as string[][]) {
    const failed = new Map<string, number>();
    api = apiOf(platform, bodies, (route) => {
      const times = (failed.get(route) ?? 0) + 1;
      failed.set(route, times);
      return times <= 2 ? answer : undefined;
    });
    expect(await publish(platform)).toMatchObject({ code: 0, stderr: "" });
    expect(bodies).toEqual([expect.stringContaining("the answer")]);
  }
  expect(jest.mocked(sleep)).toHaveBeenCalledWith(1000);
  expect(jest.mocked(sleep)).toHaveBeenCalledWith(4000);
});

test.each(PLATFORMS)("%s: a comment whose answer was lost is not added twice", async (platform) => {
  const bodies: string[] = [];
  const { list } = job(platform);
  let posts = 0;
  api = (request) => {
    if (request.route !== `POST ${list}`) return apiOf(platform, bodies)(request);
    posts++;
    // The text is in one of the fields.
    const [text] = /<!-- perimeter-review[^]*/.exec(JSON.stringify(request.json())) ?? [];
    bodies.push((text ?? "").replaceAll("\\n", "\n"));
    return "break";
  };
  expect(await publish(platform)).toMatchObject({ code: 0, stderr: "" });
  expect([posts, bodies.length]).toEqual([1, 1]);
});

test("a platform that stays out of order is asked three times, and not for ever", async () => {
  api = () => ({ status: 503, body: { message: "try later" } });
  const { code, stderr } = await publish("GitHub");
  expect([code, stderr]).toEqual([1, expect.stringContaining("GitHub answered 503 to GET")]);
  expect(requests).toHaveLength(3);
});

test("Bitbucket: the report is sent again after a failure", async () => {
  let failed = 0;
  api = ({ route }) => (failed++ % 2 === 0 ? { status: 502, body: "" } : { status: 200, body: { route } });
  const { code, stderr } = await runCommand(["publish", "--answer", "review.json", "--stack", "dev"], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? "",
      BITBUCKET_BUILD_NUMBER: "9",
      BITBUCKET_REPO_FULL_NAME: "example/clinic",
      BITBUCKET_COMMIT: "cafe42",
      PERIMETER_BITBUCKET_PROXY: service.url,
    },
  });
  expect([code, stderr]).toEqual([0, ""]);
  expect(requests.slice(0, 2)).toEqual(
    Array(2).fill(expect.stringMatching(/^PUT .*\/reports\/access-review-clinic-dev$/)),
  );
});
