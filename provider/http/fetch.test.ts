import { CancelledError, ConnectionError, TimeoutError } from "../core/errors";
import { fetchSend, type Fetch } from "./fetch";
import type { HttpRequest } from "./send";

describe("fetchSend", () => {
  const request = (signal = new AbortController().signal): HttpRequest => ({
    method: "GET",
    url: "https://h/v1/x?key=canary",
    headers: {},
    signal,
  });
  const failing =
    (error: unknown): Fetch =>
    () =>
      Promise.reject(error);

  test("says what broke, without the query", async () => {
    const cause = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });
    const outcome = await fetchSend(failing(new TypeError("fetch failed", { cause })))(request()).catch(
      (error: unknown) => error,
    );
    expect(outcome).toBeInstanceOf(ConnectionError);
    expect((outcome as Error).message).toBe(
      "GET https://h/v1/x was not sent: the connection was refused (connect ECONNREFUSED 127.0.0.1:1)",
    );
    expect(outcome).toMatchObject({ effect: "none", retryable: true });
    const reset = new TypeError("fetch failed", { cause: new Error("read ECONNRESET") });
    await expect(fetchSend(failing(reset))(request())).rejects.toMatchObject({
      message: "GET https://h/v1/x got no complete answer: read ECONNRESET",
      effect: "unknown",
      retryable: true,
    });
  });

  test("does not repeat what nothing on this machine listens to", async () => {
    const refused = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });
    const local = { ...request(), url: "http://localhost:1/v1/x?key=canary" };
    await expect(fetchSend(failing(new TypeError("fetch failed", { cause: refused })))(local)).rejects.toMatchObject({
      message: "GET http://localhost:1/v1/x was not sent: nothing listens at localhost:1 (ECONNREFUSED)",
      effect: "none",
      retryable: false,
    });
  });

  test("tells a stop and a timeout from a lost connection", async () => {
    for (const [reason, type] of [
      [new TimeoutError("late"), TimeoutError],
      [new CancelledError("stop"), CancelledError],
      [undefined, CancelledError],
    ] as const) {
      const controller = new AbortController();
      controller.abort(reason);
      const outcome = fetchSend(failing(new Error("aborted")))(request(controller.signal));
      await expect(outcome).rejects.toBeInstanceOf(type);
    }
  });

  test("follows no redirect: a token must not", async () => {
    const fetch = jest.fn<ReturnType<Fetch>, Parameters<Fetch>>(() =>
      Promise.resolve({ status: 200, headers: [["a", "b"]] as [string, string][], text: () => Promise.resolve("t") }),
    );
    expect(await fetchSend(fetch)(request())).toEqual({ status: 200, headers: { a: "b" }, body: "t" });
    expect(fetch.mock.calls[0]?.[1]).toMatchObject({ redirect: "manual" });
  });
});
