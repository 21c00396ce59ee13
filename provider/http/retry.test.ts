import fc from "fast-check";
import {
  apiError,
  BadAnswerError,
  CancelledError,
  ConnectionError,
  CredentialsError,
  effectOf,
  statusOfHttp,
  TimeoutError,
  type RpcStatus,
} from "../core/errors";
import { testCall } from "../testing/call";
import { FakeClock } from "../testing/clock";
import {
  backoff,
  delayAfter,
  isRetryable,
  retryAfterMs,
  withRetries,
  type RequestKind,
  type RetryOptions,
} from "./retry";

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
    const outcome = await withRetries(kind, call, options, "do it", (number) => {
      attempts = number;
      return number > errors.length ? Promise.resolve("done") : Promise.reject(errors[number - 1]);
    }).catch((error: unknown) => error);
    return { outcome, attempts, sleeps: clock.sleeps, statuses: call.statuses };
  };

  test("repeats until it succeeds, and reports each wait", async () => {
    const { outcome, attempts, sleeps, statuses } = await run([api(503), new ConnectionError("lost")]);
    expect([outcome, attempts]).toEqual(["done", 3]);
    expect(sleeps).toEqual([250, 500]);
    expect(statuses).toEqual([
      "The API answered UNAVAILABLE: m; trying again in 1 s",
      "The connection failed; trying again in 1 s",
    ]);
  });

  test("reports the beginning of the API's message", async () => {
    const message = `The network already has 50 associations. ${"more ".repeat(100)}\nsecond line`;
    const { statuses } = await run([api(429, "RESOURCE_EXHAUSTED", { message })]);
    expect(statuses).toHaveLength(1);
    expect(statuses[0]).toMatch(
      /^The API answered RESOURCE_EXHAUSTED: The network already has 50 associations\. more /,
    );
    expect(statuses[0]).toMatch(/ more …; trying again in 1 s$/);
    expect(statuses[0]).not.toContain("second");
  });

  test.each(["0", "0s"])("sends some dozens of requests in an hour to a server that asks to wait %j", async (asked) => {
    const more = asked === "0" ? { retryAfterMs: 0 } : { details: retryInfo(asked) };
    const errors = Array.from({ length: 10_000 }, () => api(409, "ABORTED", more));
    const { attempts } = await run(errors, { kind: "change", timeout: 3_600_000 });
    expect(attempts).toBeLessThan(400);
  });

  test("does not repeat after a final error", async () => {
    const error = api(400);
    expect(await run([error])).toMatchObject({ outcome: error, attempts: 1, sleeps: [] });
  });

  test("ends with the last error after the maximum of attempts", async () => {
    const errors = Array.from({ length: 20 }, () => api(503));
    const { outcome, attempts } = await run(errors, { options: { ...DEFAULT_RETRY, maxAttempts: 4 } });
    expect([outcome, attempts]).toEqual([errors[3], 4]);
  });

  test("does not begin a wait that ends after the time of the request or of the call", async () => {
    const error = api(429, "RESOURCE_EXHAUSTED", { retryAfterMs: 61_000 });
    for (const limit of [{ options: { ...DEFAULT_RETRY, maxElapsed: 60_000 } }, { timeout: 60_000 }]) {
      expect(await run([error], limit)).toMatchObject({ outcome: error, attempts: 1, sleeps: [] });
    }
  });

  test("waits for another operation on the resource until the call is over, without a maximum of attempts", async () => {
    const busy = Array.from({ length: 30 }, () => api(409, "ABORTED"));
    const done = await run(busy, { kind: "change", timeout: 1_200_000, options: { ...DEFAULT_RETRY, maxAttempts: 4 } });
    expect([done.outcome, done.attempts]).toEqual(["done", 31]);
    expect(done.statuses[0]).toBe("Another operation on the resource is running; trying again in 1 s");
    const late = await run(busy, { kind: "change", timeout: 60_000 });
    expect(late.outcome).toBeInstanceOf(TimeoutError);
    expect(late.outcome).toMatchObject({ effect: "none", cause: busy[late.attempts - 1] });
    expect((late.outcome as Error).message).toMatch(
      /do it: the time limit was reached, and another operation on it is still running/,
    );
  });

  test("stops immediately when the call is stopped during a wait", async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    clock.onSleep = () => controller.abort();
    const call = testCall(clock, { signal: controller.signal });
    const attempt = jest.fn(() => Promise.reject(api(503)));
    await expect(withRetries("read", call, DEFAULT_RETRY, "do it", attempt)).rejects.toBeInstanceOf(CancelledError);
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  test("ends a stopped call without effect, unless an earlier attempt may have had one", async () => {
    const stopped = async (error: unknown) => {
      const clock = new FakeClock();
      const controller = new AbortController();
      clock.onSleep = () => controller.abort();
      const call = testCall(clock, { signal: controller.signal });
      return withRetries("change", call, DEFAULT_RETRY, "do it", () => Promise.reject(error)).catch(effectOf);
    };
    expect(await stopped(api(429))).toBe("none");
    expect(await stopped(new ConnectionError("lost"))).toBe("unknown");
  });

  test("does not begin if the call is already over", async () => {
    expect(await run([], { timeout: 0 })).toMatchObject({ outcome: expect.any(TimeoutError), attempts: 0 });
  });
});

const info = (reason: string) => [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason }];
const older = (reason: string) => [{ domain: "usageLimits", reason, message: "m" }];
const quota = (description: string, more: object = {}) => [
  { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ subject: "s", description, ...more }] },
];

/**
 * docs/wire.md section 11. Columns: a read or poll; a create, patch or delete with a request id. The third kind is
 * setIamPolicy, which is never repeated: its cycle is tested with the policy store.
 */
const TABLE: [what: string, error: unknown, read: boolean, change: boolean][] = [
  ["429 RESOURCE_EXHAUSTED", api(429), true, true],
  ["503 UNAVAILABLE", api(503), true, true],
  ["500 INTERNAL", api(500), true, true],
  ["500 UNKNOWN", api(500, "UNKNOWN"), true, true],
  ["502", api(502), true, true],
  ["504 DEADLINE_EXCEEDED", api(504), true, true],
  ["connection lost", new ConnectionError("lost"), true, true],
  ["timeout", new TimeoutError("late"), true, true],
  ["a truncated response", new BadAnswerError("cut", { retryable: true }), true, true],
  ["409 ABORTED", api(409, "ABORTED"), false, true],
  ["412", api(412), false, true],
  ["412 FAILED_PRECONDITION", api(412, "FAILED_PRECONDITION"), false, true],
  [
    "429 of a rate, by its reason",
    api(429, "RESOURCE_EXHAUSTED", { details: info("RATE_LIMIT_EXCEEDED") }),
    true,
    true,
  ],
  [
    "429 of a rate, by its quota",
    api(429, "RESOURCE_EXHAUSTED", { details: quota("Read requests per minute") }),
    true,
    true,
  ],
  [
    "429 of a rate, by its quota id",
    api(429, "RESOURCE_EXHAUSTED", { details: quota("Exceeded", { quotaId: "WritesPerMinutePerProject" }) }),
    true,
    true,
  ],
  [
    "429 of a count that asks to wait",
    api(429, "RESOURCE_EXHAUSTED", { details: quota("50 associations"), retryAfterMs: 5 }),
    true,
    true,
  ],
  ["429 of a count, by its quota", api(429, "RESOURCE_EXHAUSTED", { details: quota("50 associations") }), false, false],
  [
    "429 of a count, by its reason",
    api(429, "RESOURCE_EXHAUSTED", { details: info("RESOURCE_QUOTA_EXCEEDED") }),
    false,
    false,
  ],
  ["a rate of an older API", api(403, "RESOURCE_EXHAUSTED", { details: older("rateLimitExceeded") }), true, true],
  ["a user's rate", api(403, "RESOURCE_EXHAUSTED", { details: older("userRateLimitExceeded") }), true, true],
  ["a quota of an older API", api(403, "RESOURCE_EXHAUSTED", { details: older("quotaExceeded") }), true, true],
  ["400 of a count", api(400, "FAILED_PRECONDITION", { details: quota("50 associations") }), false, false],
  ["409 ALREADY_EXISTS", api(409, "ALREADY_EXISTS"), false, false],
  ["404", api(404), false, false],
  ["400 INVALID_ARGUMENT", api(400), false, false],
  ["400 FAILED_PRECONDITION", api(400, "FAILED_PRECONDITION"), false, false],
  ["400 OUT_OF_RANGE", api(400, "OUT_OF_RANGE"), false, false],
  ["401", api(401), false, false],
  ["403", api(403), false, false],
  ["403 for a disabled API", api(403, "PERMISSION_DENIED", { details: info("SERVICE_DISABLED") }), false, false],
  ["405", api(405), false, false],
  ["413", api(413), false, false],
  ["499 CANCELLED", api(499), false, false],
  ["501", api(501), false, false],
  ["500 DATA_LOSS", api(500, "DATA_LOSS"), false, false],
  ["a malformed response", new BadAnswerError("shape"), false, false],
  ["credentials", new CredentialsError("none"), false, false],
  ["a stop", new CancelledError("stop"), false, false],
  ["an unexpected error", new Error("?"), false, false],
];

describe("what is repeated", () => {
  test.each(TABLE)("%s", (_what, error, read, change) => {
    const kinds: RequestKind[] = ["read", "change", "once"];
    expect(kinds.map((kind) => isRetryable(kind, error))).toEqual([read, change, false]);
  });

  test("only reads are repeated after the statuses in the configuration", () => {
    expect(isRetryable("read", api(404), [404])).toBe(true);
    expect(isRetryable("read", api(404), [403])).toBe(false);
    expect(isRetryable("change", api(404), [404])).toBe(false);
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  test.each([
    ["3", 3000],
    [" 0 ", 0],
    ["Sun, 01 Mar 2026 12:00:07 GMT", 7000],
    ["Sunday, 01-Mar-26 12:00:07 GMT", 7000],
    ["Sun, 01 Mar 2026 11:59:00 GMT", 0],
    ["soon", undefined],
    ["1.5", undefined],
    ["-5", undefined],
    ["", undefined],
    ["Sunny", undefined],
    [undefined, undefined],
  ])("%p is %p ms", (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });
});

describe("the delay", () => {
  const clock = new FakeClock();

  test("is from RetryInfo, else from Retry-After, else a step of the provider", () => {
    const asked = (more: object) => delayAfter(api(429, "RESOURCE_EXHAUSTED", more), 1, clock);
    expect(asked({ details: retryInfo("2.5s"), retryAfterMs: 9000 })).toBe(2500);
    expect(asked({ retryAfterMs: 9000 })).toBe(9000);
    expect(asked({ details: retryInfo("soon") })).toBe(250);
    expect(delayAfter(new ConnectionError("lost"), 1, clock)).toBe(250);
  });

  test("grows with the attempts, even if the server asks for shorter waits", () => {
    for (const more of [
      { retryAfterMs: 0 },
      { details: retryInfo("0s") },
      { details: retryInfo("0.001s") },
      { details: retryInfo("0s"), retryAfterMs: 9000 },
    ]) {
      const error = api(429, "RESOURCE_EXHAUSTED", more);
      const delays = [1, 2, 3, 4, 5, 6, 7, 8, 9, 50].map((attempt) => delayAfter(error, attempt, clock));
      expect(delays).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000]);
    }
    const noChance = new FakeClock(0, () => 0);
    expect(delayAfter(new ConnectionError("lost"), 3, noChance)).toBe(400);
  });

  test("of the provider is a random part of a step that doubles up to 32 s", () => {
    const steps = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((attempt) => backoff(attempt, () => 0.999_999_999));
    expect(steps.map(Math.round)).toEqual([500, 1000, 2000, 4000, 8000, 16000, 32000, 32000, 32000]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, chance) => {
        const delay = backoff(attempt, () => chance);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(32_000);
      }),
    );
  });
});
