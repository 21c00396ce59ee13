import {
  apiError,
  CancelledError,
  ConnectionError,
  effectOf,
  statusOfHttp,
  TimeoutError,
  type RpcStatus,
} from "../core/errors";
import { testCall } from "../testing/call";
import { FakeClock } from "../testing/clock";
import { withRetries, type RetryOptions } from "./retry";
import type { RequestKind } from "./retryable";

const api = (http: number, status: RpcStatus = statusOfHttp(http), more: object = {}) =>
  apiError({ doing: "d", resource: "r", request: "GET u", status, httpStatus: http, message: "m", ...more });
const retryInfo = (retryDelay: string) => [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }];

const DEFAULT_RETRY: RetryOptions = { maxAttempts: 10, maxElapsed: 300_000, codes: [] };

describe("withRetries", () => {
  const run = async (
    errors: unknown[],
    {
      kind = "read",
      timeout = 600_000,
      options = DEFAULT_RETRY,
      clock = new FakeClock(),
    }: { kind?: RequestKind; timeout?: number; options?: RetryOptions; clock?: FakeClock } = {},
  ) => {
    const call = testCall(clock, { timeout });
    let attempts = 0;
    const outcome = await withRetries(kind, call, clock, options, "do it", (number) => {
      attempts = number;
      return number > errors.length ? Promise.resolve("done") : Promise.reject(errors[number - 1]);
    }).catch((error: unknown) => error);
    return { outcome, attempts, sleeps: clock.sleeps, statuses: call.statuses };
  };

  test("repeats until it succeeds, and says so meanwhile", async () => {
    const { outcome, attempts, sleeps, statuses } = await run([api(503), new ConnectionError("lost")]);
    expect([outcome, attempts]).toEqual(["done", 3]);
    expect(sleeps).toEqual([250, 500]);
    expect(statuses).toEqual([
      "The API answered UNAVAILABLE: m; trying again in 1 s",
      "The connection failed; trying again in 1 s",
    ]);
  });

  test("says while it waits what the API said, as far as it fits a line", async () => {
    const message = `The network already has 50 associations. ${"more ".repeat(100)}\nsecond line`;
    const { statuses } = await run([api(429, "RESOURCE_EXHAUSTED", { message })]);
    expect(statuses).toHaveLength(1);
    expect(statuses[0]).toMatch(
      /^The API answered RESOURCE_EXHAUSTED: The network already has 50 associations\. more /,
    );
    expect(statuses[0]).toMatch(/ more …; trying again in 1 s$/);
    expect(statuses[0]).not.toContain("second");
  });

  test.each(["0", "0s"])(
    "spends an hour on a server that asks to wait %j in some dozens of requests",
    async (asked) => {
      const more = asked === "0" ? { retryAfterMs: 0 } : { details: retryInfo(asked) };
      const errors = Array.from({ length: 10_000 }, () => api(409, "ABORTED", more));
      const { attempts } = await run(errors, { kind: "change", timeout: 3_600_000 });
      expect(attempts).toBeLessThan(400);
    },
  );

  test("does not repeat what is final", async () => {
    const error = api(400);
    expect(await run([error])).toMatchObject({ outcome: error, attempts: 1, sleeps: [] });
  });

  test("ends with the last error after the most attempts", async () => {
    const errors = Array.from({ length: 20 }, () => api(503));
    const { outcome, attempts } = await run(errors, { options: { ...DEFAULT_RETRY, maxAttempts: 4 } });
    expect([outcome, attempts]).toEqual([errors[3], 4]);
  });

  test("does not wait for a time that is not left: of the request, or of the call", async () => {
    const error = api(429, "RESOURCE_EXHAUSTED", { retryAfterMs: 61_000 });
    for (const limit of [{ options: { ...DEFAULT_RETRY, maxElapsed: 60_000 } }, { timeout: 60_000 }]) {
      expect(await run([error], limit)).toMatchObject({ outcome: error, attempts: 1, sleeps: [] });
    }
  });

  test("waits for another operation on the resource as long as the call lasts, not so many times", async () => {
    const busy = Array.from({ length: 30 }, () => api(409, "ABORTED"));
    const done = await run(busy, { kind: "change", timeout: 1_200_000, options: { ...DEFAULT_RETRY, maxAttempts: 4 } });
    expect([done.outcome, done.attempts]).toEqual(["done", 31]);
    expect(done.statuses[0]).toBe("Another operation is at work on the resource; trying again in 1 s");
    const late = await run(busy, { kind: "change", timeout: 60_000 });
    expect(late.outcome).toBeInstanceOf(TimeoutError);
    expect(late.outcome).toMatchObject({ effect: "none", cause: busy[late.attempts - 1] });
    expect((late.outcome as Error).message).toMatch(/do it: its time is over, and another operation is still at work/);
  });

  test("stops at once when the call is told to stop while it waits", async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    clock.onSleep = () => controller.abort();
    const call = testCall(clock, { signal: controller.signal });
    const attempt = jest.fn(() => Promise.reject(api(503)));
    await expect(withRetries("read", call, clock, DEFAULT_RETRY, "do it", attempt)).rejects.toBeInstanceOf(
      CancelledError,
    );
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  test("a stop proves that nothing was done, unless an earlier attempt may have done it", async () => {
    const stopped = async (error: unknown) => {
      const clock = new FakeClock();
      const controller = new AbortController();
      clock.onSleep = () => controller.abort();
      const call = testCall(clock, { signal: controller.signal });
      return withRetries("change", call, clock, DEFAULT_RETRY, "do it", () => Promise.reject(error)).catch(effectOf);
    };
    expect(await stopped(api(429))).toBe("none");
    expect(await stopped(new ConnectionError("lost"))).toBe("unknown");
  });

  test("does not begin when the call's time is over already", async () => {
    expect(await run([], { timeout: 0 })).toMatchObject({ outcome: expect.any(TimeoutError), attempts: 0 });
  });
});
