import {
  apiError,
  BadAnswerError,
  CancelledError,
  ConnectionError,
  CredentialsError,
  statusOfHttp,
  TimeoutError,
  type RpcStatus,
} from "../core/errors";
import { isRetryable, type RequestKind } from "./retryable";

const api = (http: number, status: RpcStatus = statusOfHttp(http), more: object = {}) =>
  apiError({ doing: "d", resource: "r", request: "GET u", status, httpStatus: http, message: "m", ...more });
const info = (reason: string) => [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason }];
const quota = (description: string, more: object = {}) => [
  { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ subject: "s", description, ...more }] },
];

/**
 * docs/wire.md section 11. Columns: a read or poll; create, patch or delete with a request id. The third kind is
 * setIamPolicy, which is never repeated as it is: its cycle is tested with the policy store.
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
  ["an answer that is cut off", new BadAnswerError("cut", { retryable: true }), true, true],
  ["409 ABORTED", api(409, "ABORTED"), false, true],
  ["412", api(412), false, true],
  ["412 FAILED_PRECONDITION", api(412, "FAILED_PRECONDITION"), false, true],
  ["403 for an exhausted quota", api(403, "PERMISSION_DENIED", { details: info("RATE_LIMIT_EXCEEDED") }), true, true],
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
  ["403 of a count", api(403, "PERMISSION_DENIED", { details: info("RESOURCE_QUOTA_EXCEEDED") }), false, false],
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
  ["an answer of another shape", new BadAnswerError("shape"), false, false],
  ["credentials", new CredentialsError("none"), false, false],
  ["a stop", new CancelledError("stop"), false, false],
  ["what nobody foresaw", new Error("?"), false, false],
];

describe("what is repeated", () => {
  test.each(TABLE)("%s", (_what, error, read, change) => {
    const kinds: RequestKind[] = ["read", "change", "once"];
    expect(kinds.map((kind) => isRetryable(kind, error))).toEqual([read, change, false]);
  });

  test("statuses from the configuration are repeated for reads alone", () => {
    expect(isRetryable("read", api(404), [404])).toBe(true);
    expect(isRetryable("read", api(404), [403])).toBe(false);
    expect(isRetryable("change", api(404), [404])).toBe(false);
  });
});
