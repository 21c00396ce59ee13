import { authLayer } from "./auth";
import type { HttpRequest } from "./send";
import type { TokenSource } from "./token-source";

describe("the layer of authorization", () => {
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
    return {
      asked,
      token: (options?: { fresh?: boolean }) => Promise.resolve(`t${asked.push(options?.fresh === true)}`),
      quotaProject: () => Promise.resolve(quota),
      project: () => Promise.resolve(undefined),
      serviceAccount: () => Promise.resolve(undefined),
    };
  };

  test("answers one 401 with one fresh token", async () => {
    const { sent, send } = answers(401);
    const own = tokens();
    expect((await authLayer(own)(send)(request())).status).toBe(200);
    expect(sent.map((each) => each.headers.authorization)).toEqual(["Bearer t1", "Bearer t2"]);
    expect(own.asked).toEqual([false, true]);
  });

  test("takes a second 401 as it is", async () => {
    const { sent, send } = answers(401, 401);
    expect((await authLayer(tokens())(send)(request())).status).toBe(401);
    expect(sent).toHaveLength(2);
  });

  test("names the quota project of the credentials, unless the request names one", async () => {
    const { sent, send } = answers();
    await authLayer(tokens("q"))(send)(request());
    await authLayer(tokens("q"))(send)(request({ "x-goog-user-project": "own" }));
    expect(sent.map((each) => each.headers["x-goog-user-project"])).toEqual(["q", "own"]);
  });
});
