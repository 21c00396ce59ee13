import fc from "fast-check";
import { apiError, ConnectionError, statusOfHttp, type RpcStatus } from "../core/errors";
import { FakeClock } from "../testing/clock";
import { backoff, delayAfter, retryAfterMs } from "./delays";

const api = (http: number, status: RpcStatus = statusOfHttp(http), more: object = {}) =>
  apiError({ doing: "d", resource: "r", request: "GET u", status, httpStatus: http, message: "m", ...more });
const retryInfo = (retryDelay: string) => [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }];

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

  test("is RetryInfo's, else Retry-After's, else a step of our own", () => {
    const asked = (more: object) => delayAfter(api(429, "RESOURCE_EXHAUSTED", more), 1, clock);
    expect(asked({ details: retryInfo("2.5s"), retryAfterMs: 9000 })).toBe(2500);
    expect(asked({ retryAfterMs: 9000 })).toBe(9000);
    expect(asked({ details: retryInfo("soon") })).toBe(250);
    expect(delayAfter(new ConnectionError("lost"), 1, clock)).toBe(250);
  });

  test("grows, however short a wait the server asks for: a hot loop helps nobody", () => {
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

  test("of our own is a random part of a step that doubles up to 32 s", () => {
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
