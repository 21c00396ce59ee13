import { CancelledError, TimeoutError } from "../core/errors";
import type { TokenSource } from "./credentials";
import { authLayer, compose, headersLayer, timeoutLayer, userProjectLayer, type HttpRequest } from "./send";
import { testCredentials } from "../testing/credentials";

describe("authLayer", () => {
  const answers = (...statuses: number[]) => {
    const sent: HttpRequest[] = [];
    const send = (request: HttpRequest) => {
      sent.push(request);
      return Promise.resolve({ status: statuses[sent.length - 1] ?? 200, headers: {}, body: "" });
    };
    return { sent, send };
  };
  const request = (headers = {}): HttpRequest => ({
    method: "GET",
    url: "u",
    headers,
    signal: new AbortController().signal,
  });
  const tokens = (quota?: string): TokenSource & { asked: boolean[] } => {
    const asked: boolean[] = [];
    const source = testCredentials({
      token: (options) => Promise.resolve(`t${asked.push(options?.fresh === true)}`),
      quotaProject: () => Promise.resolve(quota),
    });
    return { ...source, asked };
  };

  test("sends the request once more with a fresh token after a 401", async () => {
    const { sent, send } = answers(401);
    const own = tokens();
    expect((await authLayer(own)(send)(request())).status).toBe(200);
    expect(sent.map((each) => each.headers.authorization)).toEqual(["Bearer t1", "Bearer t2"]);
    expect(own.asked).toEqual([false, true]);
  });

  test("returns a second 401", async () => {
    const { sent, send } = answers(401, 401);
    expect((await authLayer(tokens())(send)(request())).status).toBe(401);
    expect(sent).toHaveLength(2);
  });

  test("adds the quota project of the credentials, unless the request has one", async () => {
    const { sent, send } = answers();
    await authLayer(tokens("q"))(send)(request());
    await authLayer(tokens("q"))(send)(request({ "x-goog-user-project": "own" }));
    expect(sent.map((each) => each.headers["x-goog-user-project"])).toEqual(["q", "own"]);
  });
});

test("timeoutLayer ends a request without a response, and a stop of the caller keeps its reason", async () => {
  jest.useFakeTimers();
  try {
    const never = compose(
      ({ signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
      timeoutLayer(120_000),
    );
    const send = (signal: AbortSignal) =>
      never({ method: "GET", url: "https://h/v1/x", headers: {}, signal }).catch((error: unknown) => error);
    const late = send(new AbortController().signal);
    jest.advanceTimersByTime(120_000);
    expect(await late).toEqual(new TimeoutError("GET https://h/v1/x was not answered within 120 s"));
    const controller = new AbortController();
    const stopped = send(controller.signal);
    controller.abort(new CancelledError("stop"));
    expect(await stopped).toBeInstanceOf(CancelledError);
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});

test("headersLayer keeps the request's own headers", async () => {
  const seen: Record<string, string>[] = [];
  const send = compose(
    ({ headers }) => {
      seen.push(headers);
      return Promise.resolve({ status: 200, headers: {}, body: "" });
    },
    headersLayer({ a: "1", b: "2" }),
  );
  await send({ method: "GET", url: "u", headers: { b: "3" }, signal: new AbortController().signal });
  expect(seen).toEqual([{ a: "1", b: "3" }]);
});

describe("userProjectLayer", () => {
  const projectOf = async (path: string, billingProject?: string) => {
    let sent: HttpRequest | undefined;
    const send = (request: HttpRequest) => {
      sent = request;
      return Promise.resolve({ status: 200, headers: {}, body: "" });
    };
    const url = `https://api.example${path}`;
    const { signal } = new AbortController();
    await userProjectLayer(billingProject)(send)({ method: "GET", url, headers: {}, signal });
    return sent?.headers["x-goog-user-project"];
  };

  test.each([
    ["/v1/projects/p/topics/t", "p"],
    ["/v3/projects/p:getIamPolicy", "p"],
    ["/v1/projects/p", "p"],
    ["/v1/projects/123:setIamPolicy?alt=json", "123"],
    ["/v1/projects/example.com:p/topics/t", "example.com:p"],
    ["/v1/projects/example.com:p/topics/t:getIamPolicy", "example.com:p"],
    ["/v1/projects/example.com:p:getIamPolicy", "example.com:p"],
    ["/v1/projects/example.com%3Ap:getIamPolicy", "example.com:p"],
    ["/v1/projects/example.com:p", "example.com:p"],
    ["/v3/folders/42:getIamPolicy", undefined],
    ["/v3/projects:search", undefined],
  ])("bills %s to %s", async (path, project) => {
    expect(await projectOf(path)).toBe(project);
    expect(await projectOf(path, "billing")).toBe("billing");
  });
});
