import { ApiError, BadAnswerError, NotFoundError, PermissionDeniedError } from "../core/errors";
import { WireShapeError } from "../core/wire";
import { testCall } from "../testing/call";
import { FakeClock } from "../testing/clock";
import { apiClient, clientOf, encodePath, type ApiRequest } from "./client";
import type { HttpRequest, HttpResponse } from "./send";

const read: ApiRequest = {
  kind: "read",
  method: "GET",
  path: "projects/p/locations/l/scopes/s",
  doing: "look up the scope",
};

/** Calls a client whose server gives these responses, and then always the last one. */
async function ask(request: ApiRequest & { retryCodes?: number[] }, ...answers: Partial<HttpResponse>[]) {
  const clock = new FakeClock();
  const sent: HttpRequest[] = [];
  const client = apiClient({
    baseUrl: "https://gkehub.googleapis.com/v1beta/",
    retry: { maxAttempts: 3, maxElapsed: 300_000, codes: request.retryCodes ?? [] },
    send: (each) => {
      sent.push(each);
      return Promise.resolve({ status: 200, headers: {}, body: "{}", ...(answers[sent.length - 1] ?? answers.at(-1)) });
    },
  });
  const outcome: unknown = await client
    .request(request, testCall(clock), (answer) => answer)
    .catch((error: unknown) => error);
  return { outcome, sent, sleeps: clock.sleeps };
}

describe("a request", () => {
  test("has its path with each segment encoded, its verb, its query, and only the necessary headers", async () => {
    const { sent } = await ask({
      ...read,
      path: "projects/example.com:p/locations/l/scopes/ä b",
      verb: "getIamPolicy",
      query: { "options.requestedPolicyVersion": 3, requestId: undefined },
    });
    expect(sent[0]).toMatchObject({
      method: "GET",
      url:
        "https://gkehub.googleapis.com/v1beta/projects/example.com:p/locations/l/scopes/%C3%A4%20b:getIamPolicy" +
        "?options.requestedPolicyVersion=3",
      headers: { accept: "application/json" },
    });
    expect(sent[0]?.headers).not.toHaveProperty("content-type");
  });

  test("with a body has the content type of JSON", async () => {
    const { sent } = await ask({ ...read, kind: "once", method: "POST", body: { a: [1] } });
    expect(sent[0]).toMatchObject({ body: '{"a":[1]}', headers: { "content-type": "application/json" } });
  });

  test("cannot reach another path through the characters of a name", () => {
    expect(encodePath("projects/../x?y#z/%2e")).toBe("projects/../x%3Fy%23z/%252e");
  });
});

test("the server's time follows from the dates of responses and the clock, and is at most a second too early", async () => {
  const answers = ["12:00:05", undefined, "12:00:04", "12:00:12"].map((time): Record<string, string> =>
    time === undefined ? {} : { date: `Sun, 01 Mar 2026 ${time} GMT` },
  );
  const clock = new FakeClock(1_000_000);
  const client = apiClient({
    baseUrl: "https://gkehub.googleapis.com/v1beta/",
    retry: { maxAttempts: 1, maxElapsed: 0, codes: [] },
    send: () => Promise.resolve({ status: 200, headers: answers.shift() ?? {}, body: "{}" }),
  });
  const noon = Date.parse("2026-03-01T12:00:00Z");
  const times: (number | undefined)[] = [client.serverTime?.(testCall(clock))];
  while (answers.length > 0) {
    await client.request(read, testCall(clock), (answer) => answer);
    clock.advance(1_500);
    times.push(client.serverTime?.(testCall(clock)));
  }
  expect(times).toEqual([undefined, noon + 6_500, noon + 8_000, noon + 9_500, noon + 13_500]);
});

describe("a response", () => {
  test("is the object in the body", async () => {
    expect((await ask(read, { body: '{"name":"n"}' })).outcome).toEqual({ name: "n" });
  });

  test.each([
    ["HTML", "<html>sign in</html>", "text/html", /something that is not a JSON object \(text\/html\)/],
    ["an empty body", "", undefined, /an empty body/],
    ["truncated JSON", '{"name": "n', "application/json", /something that is not a JSON object/],
    ["a list", "[]", "application/json", /something that is not a JSON object/],
    ["null", "null", undefined, /\(no content type\)/],
  ])("with %s is a clear error after some attempts", async (_what, body, type, message) => {
    const { outcome, sent } = await ask(read, { body, headers: type ? { "content-type": type } : {} });
    expect(outcome).toBeInstanceOf(BadAnswerError);
    expect((outcome as Error).message).toMatch(message);
    expect((outcome as Error).message).toContain("look up the scope projects/p/locations/l/scopes/s");
    expect(sent).toHaveLength(3);
  });

  test.each<[ApiRequest["kind"], string]>([
    ["read", "none"],
    ["change", "unknown"],
    ["once", "unknown"],
  ])("with a server error or without JSON makes the effect of a %s %s", async (kind, effect) => {
    expect((await ask({ ...read, kind }, { status: 500, body: "" })).outcome).toMatchObject({ effect });
    expect((await ask({ ...read, kind }, { body: "<html>" })).outcome).toMatchObject({ effect });
  });

  test("with JSON, after one without, is the result", async () => {
    expect((await ask(read, { body: "" }, { body: '{"name":"n"}' })).outcome).toEqual({ name: "n" });
  });

  /** The format of https://cloud.google.com/bigquery/docs/troubleshoot-quotas, without a status, and the one of newer servers. */
  const limit = (reason: string, more: object = {}) => {
    const message = `Exceeded: ${reason}`;
    return { error: { code: 403, message, errors: [{ message, domain: "usageLimits", reason }], ...more } };
  };
  const errorInfo = (reason: string) => ({
    status: "PERMISSION_DENIED",
    details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "googleapis.com" }],
  });

  test.each<[string, object, string, attempts: number]>([
    ["rateLimitExceeded", limit("rateLimitExceeded"), "RESOURCE_EXHAUSTED", 3],
    ["userRateLimitExceeded", limit("userRateLimitExceeded"), "RESOURCE_EXHAUSTED", 3],
    [
      "rateLimitExceeded and a status",
      limit("rateLimitExceeded", { status: "PERMISSION_DENIED" }),
      "RESOURCE_EXHAUSTED",
      3,
    ],
    ["RATE_LIMIT_EXCEEDED", limit("forbidden", errorInfo("RATE_LIMIT_EXCEEDED")), "RESOURCE_EXHAUSTED", 3],
    ["quotaExceeded", limit("quotaExceeded"), "RESOURCE_EXHAUSTED", 3],
    ["RESOURCE_QUOTA_EXCEEDED", limit("forbidden", errorInfo("RESOURCE_QUOTA_EXCEEDED")), "RESOURCE_EXHAUSTED", 1],
    ["forbidden", limit("forbidden"), "PERMISSION_DENIED", 1],
    ["SERVICE_DISABLED", limit("accessNotConfigured", errorInfo("SERVICE_DISABLED")), "PERMISSION_DENIED", 1],
  ])("403 with the reason %s is a limit or a denial", async (_what, answer, status, attempts) => {
    for (const kind of ["read", "change"] as const) {
      const { outcome, sent } = await ask({ ...read, kind }, { status: 403, body: JSON.stringify(answer) });
      expect(outcome).toMatchObject({ status, httpStatus: 403, effect: "none" });
      expect(sent).toHaveLength(attempts);
    }
  });

  test("with an error has its status, message, details and request id", async () => {
    const details = [
      { "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId: "abc" },
      { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field: "f", description: "d" }] },
    ];
    const body = JSON.stringify({ error: { code: 403, status: "PERMISSION_DENIED", message: "no", details } });
    const { outcome, sent } = await ask(read, { status: 403, body });
    expect(outcome).toBeInstanceOf(PermissionDeniedError);
    expect(outcome).toMatchObject({ httpStatus: 403, cloudMessage: "no", requestId: "abc", details });
    expect(sent).toHaveLength(1);
  });

  test.each([
    [404, "", BadAnswerError, "the response HTTP 404 is not from the API (no body)"],
    [404, "<!DOCTYPE html><title>Error 404</title>", BadAnswerError, "is not from the API (no content type)"],
    [404, '{"error":{"status":"NOT_FOUND"}}', NotFoundError, "NOT_FOUND"],
    [403, '{"error":"text"}', PermissionDeniedError, "the response is not from the API"],
    [418, '{"error":{"status":"TEAPOT"}}', ApiError, "UNKNOWN"],
  ])(
    "with status %i and the body %j has an error by its status, without the body",
    async (status, body, type, message) => {
      const { outcome } = await ask(read, { status, body });
      expect(outcome).toBeInstanceOf(type);
      expect((outcome as Error).message).toContain(message);
      expect((outcome as Error).message).not.toContain("DOCTYPE");
    },
  );

  test("with Retry-After delays the next attempt", async () => {
    const { outcome, sleeps } = await ask(read, { status: 429, headers: { "retry-after": "7" } }, {});
    expect([outcome, sleeps]).toEqual([{}, [7000]]);
  });

  test("with a date in Retry-After delays the next attempt by the server's clock, if it has a Date header", async () => {
    const until = new Date(Date.parse("2030-01-01T12:00:09Z")).toUTCString();
    const date = new Date(Date.parse("2030-01-01T12:00:00Z")).toUTCString();
    expect((await ask(read, { status: 429, headers: { "retry-after": until, date } }, {})).sleeps).toEqual([9000]);
    const soon = new Date(Date.now() + 60_000).toUTCString();
    const [byOurClock] = (await ask(read, { status: 429, headers: { "retry-after": soon } }, {})).sleeps;
    expect(byOurClock).toBeGreaterThan(50_000);
    expect(byOurClock).toBeLessThanOrEqual(60_000);
  });

  test.each([403, 404])("with status %i and no body has the request id from its headers", async (status) => {
    const { outcome } = await ask(read, { status, body: "", headers: { "x-request-id": "h-1" } });
    expect((outcome as Error).message).toContain("request id h-1");
  });

  test("with a 404 that is not the API's is final, unless the configuration has 404 repeated", async () => {
    const page = { status: 404, body: "<html>" };
    expect((await ask(read, page, {})).sent).toHaveLength(1);
    expect((await ask({ ...read, retryCodes: [404] }, page, {})).outcome).toEqual({});
  });

  test("has an error without the query, which may hold keys", async () => {
    const { outcome } = await ask({ ...read, query: { key: "canary" } }, { status: 404, body: "" });
    expect((outcome as Error).message).not.toContain("canary");
  });
});

describe("a response that cannot be parsed", () => {
  const ask = (request: ApiRequest, error: Error) =>
    clientOf("u", () => Promise.resolve({})).request(request, testCall(new FakeClock()), () => {
      throw error;
    });

  test.each([
    ["read", "none"],
    ["change", "unknown"],
    ["once", "unknown"],
  ] as const)("ends a request of kind %s with its name and the effect %s", async (kind, effect) => {
    const failing = ask({ ...read, kind }, new WireShapeError("labels", "a map"));
    const error = await failing.catch((error: unknown) => error);
    expect(error).toBeInstanceOf(BadAnswerError);
    const message = `Could not ${read.doing} ${read.path}: the API's response has an unexpected shape: labels should be a map`;
    expect(error).toMatchObject({ effect, message });
  });

  test("ends with any other error of the parser unchanged", async () => {
    const other = new Error("other");
    await expect(ask(read, other)).rejects.toBe(other);
  });
});
