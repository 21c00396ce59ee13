import { inspect } from "node:util";
import fc from "fast-check";
import answers from "../../../tests/fixtures/errors/answers.json";
import * as errors from ".";
import {
  apiError,
  ApiError,
  RPC_STATUSES,
  errorInfoReason,
  statusOfHttp,
  statusOfRpc,
  type ApiFailure,
  type RpcStatus,
} from ".";

const failure: ApiFailure = {
  doing: "look up the trigger",
  resource: "projects/p/locations/l/triggers/t",
  request: "GET https://eventarc.googleapis.com/v1/projects/p/locations/l/triggers/t",
  status: "NOT_FOUND",
  httpStatus: 404,
  message: "Resource was not found",
};
const info = (reason: string, metadata: Record<string, string> = {}) => ({
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason,
  domain: "googleapis.com",
  metadata,
});
const detail = (type: string, more: object) => ({ "@type": `type.googleapis.com/google.rpc.${type}`, ...more });
const messageWith = (...details: unknown[]) => apiError({ ...failure, details }).message;

/** docs/wire.md section 10: each status with its class, its number in an operation, and its HTTP status. */
const STATUSES: [RpcStatus, number, number, string][] = [
  ["CANCELLED", 1, 499, "CancelledByServerError"],
  ["UNKNOWN", 2, 500, "UnknownError"],
  ["INVALID_ARGUMENT", 3, 400, "InvalidArgumentError"],
  ["DEADLINE_EXCEEDED", 4, 504, "DeadlineExceededError"],
  ["NOT_FOUND", 5, 404, "NotFoundError"],
  ["ALREADY_EXISTS", 6, 409, "AlreadyExistsError"],
  ["PERMISSION_DENIED", 7, 403, "PermissionDeniedError"],
  ["RESOURCE_EXHAUSTED", 8, 429, "ResourceExhaustedError"],
  ["FAILED_PRECONDITION", 9, 400, "FailedPreconditionError"],
  ["ABORTED", 10, 409, "AbortedError"],
  ["OUT_OF_RANGE", 11, 400, "OutOfRangeError"],
  ["UNIMPLEMENTED", 12, 501, "UnimplementedError"],
  ["INTERNAL", 13, 500, "InternalError"],
  ["UNAVAILABLE", 14, 503, "UnavailableError"],
  ["DATA_LOSS", 15, 500, "DataLossError"],
  ["UNAUTHENTICATED", 16, 401, "UnauthenticatedError"],
];

test("has every status of google.rpc.Code", () => {
  expect(STATUSES.map(([status]) => status).sort()).toEqual(Object.keys(RPC_STATUSES).sort());
});

test.each(STATUSES)("%s has its own class", (status, rpc, http, className) => {
  const error = apiError({ ...failure, status });
  expect(error).toBeInstanceOf(errors[className as keyof typeof errors] as never);
  expect(error).toBeInstanceOf(ApiError);
  expect(error.constructor.name).toBe(className);
  expect([error.code, error.status, error.name]).toEqual(["API", status, status]);
  expect(RPC_STATUSES[status]).toEqual({ rpc, http });
  expect(statusOfRpc(rpc)).toBe(status);
});

test("all statuses have different classes", () => {
  expect(new Set(STATUSES.map(([status]) => apiError({ ...failure, status }).constructor)).size).toBe(16);
});

test.each([
  [400, "INVALID_ARGUMENT"],
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [408, "DEADLINE_EXCEEDED"],
  [409, "ABORTED"],
  [412, "ABORTED"],
  [429, "RESOURCE_EXHAUSTED"],
  [499, "CANCELLED"],
  [500, "INTERNAL"],
  [501, "UNIMPLEMENTED"],
  [502, "UNAVAILABLE"],
  [503, "UNAVAILABLE"],
  [504, "DEADLINE_EXCEEDED"],
  [599, "INTERNAL"],
  [418, "UNKNOWN"],
])("HTTP %i without a status in the body becomes %s", (http, status) => {
  expect(statusOfHttp(http)).toBe(status);
});

test("a number that is not a code becomes UNKNOWN", () => {
  expect(statusOfRpc(99)).toBe("UNKNOWN");
});

describe("the message", () => {
  test("has the action, the resource, the status, the cloud's message, the request and its id", () => {
    expect(apiError({ ...failure, requestId: "req-7" }).message).toBe(
      "Could not look up the trigger projects/p/locations/l/triggers/t: NOT_FOUND: Resource was not found\n" +
        "  (HTTP 404, GET https://eventarc.googleapis.com/v1/projects/p/locations/l/triggers/t, request id req-7)",
    );
  });

  test("of an operation's error has no HTTP status", () => {
    const { httpStatus: _, ...rest } = failure;
    expect(apiError(rest).message).not.toContain("HTTP");
  });

  test("names the API to enable, the project and the link", () => {
    const text = messageWith(
      info("SERVICE_DISABLED", {
        service: "eventarc.googleapis.com",
        serviceTitle: "Eventarc API",
        consumer: "projects/p",
        activationUrl: "https://console.example/enable",
      }),
    );
    expect(text).toContain("\n  Enable Eventarc API for projects/p: https://console.example/enable\n");
  });

  test("names the permission that is missing", () => {
    expect(messageWith(info("IAM_PERMISSION_DENIED", { permission: "eventarc.triggers.get" }))).toContain(
      "\n  Missing permission: eventarc.triggers.get\n",
    );
  });

  test("takes the reason from an ErrorInfo only, not from other details", () => {
    const other = detail("BadRequest", { reason: "OF_SOMETHING_ELSE" });
    expect(errorInfoReason({ details: [other] })).toBeUndefined();
    expect(errorInfoReason({ details: [other, info("SOME_REASON")] })).toBe("SOME_REASON");
  });

  test("shows the reason when the permission is unknown, and names no permission for other reasons", () => {
    expect(messageWith(info("IAM_PERMISSION_DENIED"))).toContain("\n  Reason: IAM_PERMISSION_DENIED\n");
    const other = messageWith(info("SOMETHING_NEW", { permission: "eventarc.triggers.get" }));
    expect(other).toContain("\n  Reason: SOMETHING_NEW\n");
  });

  test("names the quota, the quota project, violated fields and preconditions, and help", () => {
    const text = messageWith(
      info("RATE_LIMIT_EXCEEDED", { quota_metric: "m", quota_limit: "PerMinute", quota_limit_value: "60" }),
      info("USER_PROJECT_DENIED", { consumer: "projects/q" }),
      detail("BadRequest", { fieldViolations: [{ field: "network", description: "bad" }, { description: "worse" }] }),
      detail("QuotaFailure", { violations: [{ subject: "s", description: "full" }] }),
      detail("PreconditionFailure", { violations: [{ type: "T", subject: "s", description: "not so" }] }),
      detail("Help", { links: [{ description: "Read", url: "https://help.example" }] }),
      info("SOMETHING_NEW"),
    );
    for (const line of [
      "Quota: m (PerMinute, 60)",
      "The quota project projects/q was refused: the caller needs serviceusage.services.use on it",
      "network: bad",
      "worse",
      "Quota: s: full",
      "T s: not so",
      "Read: https://help.example",
      "Reason: SOMETHING_NEW",
    ]) {
      expect(text.split("\n  ")).toContain(line);
    }
  });

  describe("for a recorded response of an API", () => {
    const messageOfAnswer = ({ status: httpStatus, error }: (typeof answers)[keyof typeof answers]) =>
      apiError({ ...failure, status: statusOfHttp(httpStatus), httpStatus, ...error, requestId: "r" } as ApiFailure)
        .message;
    const lines = (answer: Parameters<typeof messageOfAnswer>[0]) => messageOfAnswer(answer).split("\n  ").slice(0, -1);

    test("names the field of a violation that has no description", () => {
      expect(lines(answers.violationWithoutDescription)).toEqual([
        "Could not look up the trigger projects/p/locations/l/triggers/t: INVALID_ARGUMENT: " +
          "The request was invalid: unsupported destination:",
        "Field: trigger.destination",
      ]);
    });

    test("shows a sentence once when the response repeats it in its details", () => {
      const [sentence, ...more] = lines(answers.unknownName);
      expect(sentence).toContain('Unknown name "firewallEndpointId"');
      expect(more).toEqual([]);
    });

    test("shows the link to enable an API once", () => {
      const { message, details } = answers.serviceDisabled.error;
      const link = details[0]?.metadata?.activationUrl as string;
      expect(messageOfAnswer(answers.serviceDisabled).split(link)).toHaveLength(2);
      const brief = messageOfAnswer({
        ...answers.serviceDisabled,
        error: { ...answers.serviceDisabled.error, message: "off" },
      });
      expect(message).toContain(link);
      expect(brief).toContain(`\n  Enable Gemini for Google Cloud API for projects/p: ${link}\n`);
      expect(brief.split(link)).toHaveLength(2);
    });
  });

  test("has no line for an empty detail", () => {
    const text = messageWith(
      detail("BadRequest", { fieldViolations: [{}, { field: "" }] }),
      detail("QuotaFailure", { violations: [{}] }),
      detail("PreconditionFailure", { violations: [{ type: "TOS" }] }),
      detail("Help", { links: [{ description: "Read" }, {}] }),
    );
    expect(text.split("\n  ").slice(1, -1)).toEqual(["Precondition: TOS"]);
  });

  test("accepts details of any form from a server", () => {
    fc.assert(
      fc.property(fc.array(fc.anything()), (details) => {
        expect(messageWith(...details)).toContain("Could not look up");
      }),
    );
    expect(messageWith(detail("BadRequest", { fieldViolations: "x" }), detail("Help", {}), null, "text")).toContain(
      "Could",
    );
  });

  test("can get a hint for the user, and keeps its class", () => {
    const hinted = apiError({ ...failure, requestId: "r" }).withHint("Try this.");
    expect(hinted).toBeInstanceOf(errors.NotFoundError);
    expect(hinted.message).toContain("\n  Try this.\n");
    expect([hinted.requestId, hinted.httpStatus]).toEqual(["r", 404]);
  });
});

describe("the effect that an error proves", () => {
  test.each<[string, errors.PerimeterError, errors.Effect]>([
    ["wrong inputs", new errors.InputError("s", []), "none"],
    ["a wrong configuration", new errors.ConfigurationError("m"), "none"],
    ["no token", new errors.CredentialsError("m"), "none"],
    ["our own refusal", new errors.RefusedError("m"), "none"],
    ["a lost connection", new errors.ConnectionError("m"), "unknown"],
    ["a connection that was refused", new errors.ConnectionError("m", { effect: "none" }), "none"],
    ["no answer in time", new errors.TimeoutError("m"), "unknown"],
    ["a stop", new errors.CancelledError("m"), "unknown"],
    ["nonsense", new errors.BadAnswerError("m"), "unknown"],
    ["a bug", new errors.BugError("m"), "unknown"],
    ["what is made and not ready", new errors.NotReadyError("id", {}, []), "done"],
  ])("%s", (_what, error, effect) => {
    expect(error.effect).toBe(effect);
    expect(errors.effectOf(error)).toBe(effect);
  });

  /** A refused change was not made; a server failure may occur after the change. */
  test.each<[RpcStatus, errors.Effect]>(
    STATUSES.map(([status, , http]) => [status, http >= 499 && status !== "UNIMPLEMENTED" ? "unknown" : "none"]),
  )("status %s", (status, effect) => {
    expect(apiError({ ...failure, status, httpStatus: RPC_STATUSES[status].http }).effect).toBe(effect);
  });

  test.each([405, 413, 418])("HTTP %i without a status is a refusal; 500 and 599 are not", (httpStatus) => {
    const made = (http: number) => apiError({ ...failure, status: "UNKNOWN", httpStatus: http });
    expect([made(httpStatus), made(500), made(599)].map(({ effect }) => effect)).toEqual([
      "none",
      "unknown",
      "unknown",
    ]);
  });

  test("the creator of an error can override its effect, and a hint does not change the effect", () => {
    const read = apiError({ ...failure, status: "INTERNAL", effect: "none" });
    expect([read.effect, read.withHint("h").effect]).toEqual(["none", "none"]);
    expect(errors.effectOf(new Error("of somebody else"))).toBe("unknown");
  });
});

test("reasonOf finds the ErrorInfo's reason among other details", () => {
  expect(errorInfoReason(apiError({ ...failure, details: [detail("Help", {}), info("X")] }))).toBe("X");
  expect(errorInfoReason(apiError(failure))).toBeUndefined();
});

describe("credentials in texts", () => {
  const canaries = [
    "Authorization: Bearer abc.canary-123",
    "token ya29.canary_AB-c",
    "jwt eyJjYW5hcnk.eyJjYW5hcnk.canary",
    "refresh 1//canarycanarycanarycanary",
    "secret GOCSPX-canary",
    "-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY-----\ncanary and cut off",
    "https://x/y?access_token=canary&z=1",
    "https://x/y?alt=json&key=canary",
    '{"private_key": "canary\\"canary"}',
    '{"refresh_token":"canary","client_secret":"canary"}',
    '{"accessToken":"canary"}',
  ];

  test.each(canaries)("%j", (text) => {
    expect(errors.redact(text)).not.toContain("canary");
    const made = [
      new errors.InputError("subject", []),
      new errors.ConfigurationError(text),
      new errors.CredentialsError(text),
      new errors.ConnectionError(text),
      new errors.TimeoutError(text),
      new errors.CancelledError(text),
      new errors.BadAnswerError(text),
      new errors.RefusedError(text),
      new errors.BugError(text),
      new errors.NotReadyError("id", {}, [text]),
    ];
    expect(apiError({ ...failure, message: text }).message).not.toContain("canary");
    for (const error of made) expect(inspect(error)).not.toContain("canary");
  });

  test.each([
    "projects/p?updateMask=labels,network",
    "Basic roles (roles/owner) are not allowed; basic roles/viewer neither",
    "a bearer of news needs Bearer authentication, or Basic authorization",
    "Basic\ntier, and a bearer\ttoken of type Bearer",
  ])("text without a credential does not change: %j", (text) => {
    expect(errors.redact(text)).toBe(text);
    expect(inspect(apiError({ ...failure, message: text }))).toContain(text.split("\n")[0]);
  });

  test.each([
    "Bearer AbCdEfGhIjKl",
    "bearer abcdefghijklmnopqrstuvwxyz",
    "BEARER opaque-token-9",
    "Basic dXNlcjpwYXNz",
    "Basic dTpw",
    "authorization: Bearer short",
    '"Authorization": "Basic abc"',
    "proxy-authorization=Basic xyz",
  ])("the credential of an HTTP header is removed: %j", (text) => {
    const secret = text
      .split(/[\s"=:]+/)
      .filter(Boolean)
      .at(-1) as string;
    expect(errors.redact(`(${text})`)).not.toContain(secret);
  });

  test("removes any bearer token from any text", () => {
    const token = fc.stringMatching(/^[A-Za-z0-9._~+/-]{23,60}[0-9]={0,2}$/);
    fc.assert(
      fc.property(fc.string(), token, fc.constantFrom("Bearer", "bearer", "BEARER"), (before, secret, scheme) => {
        expect(errors.redact(`${before} ${scheme} ${secret} and more`)).not.toContain(secret);
      }),
    );
  });
});

test("a code identifies the error without its class", () => {
  const made: errors.PerimeterError[] = [
    new errors.InputError("s", []),
    new errors.ConfigurationError("m"),
    new errors.CredentialsError("m"),
    apiError(failure),
    new errors.ConnectionError("m"),
    new errors.TimeoutError("m"),
    new errors.CancelledError("m"),
    new errors.BadAnswerError("m"),
    new errors.NotReadyError("id", {}, ["r"]),
    new errors.RefusedError("m"),
    new errors.BugError("m"),
  ];
  expect(made.map((each) => each.code).sort()).toEqual([...errors.ERROR_CODES].sort());
});

test("NotReadyError has the state that the engine keeps", () => {
  const error = new errors.NotReadyError("the-id", { a: 1 }, ["first", "second"]);
  expect([error.id, error.properties, error.reasons]).toEqual(["the-id", { a: 1 }, ["first", "second"]]);
  expect(error.message).toBe("first\nsecond");
});

test("a copy of NotReadyError can have more properties", () => {
  const error = new errors.NotReadyError("the-id", { a: 1, b: 1 }, ["reason"], { cause: "lost" });
  const copy = error.withProperties({ b: 2, c: 3 });
  expect(copy).toMatchObject({ id: "the-id", properties: { a: 1, b: 2, c: 3 }, reasons: ["reason"], cause: "lost" });
  expect(error.properties).toEqual({ a: 1, b: 1 });
});

test("an error without an explicit effect has the effect of its class", () => {
  const effect = undefined;
  expect(new errors.ConnectionError("m", { effect }).effect).toBe("unknown");
  expect(new errors.BadAnswerError("m", { effect }).effect).toBe("unknown");
  expect(new errors.NotReadyError("id", {}, ["r"], { effect }).effect).toBe("done");
  expect(new errors.RefusedError("m", { effect }).effect).toBe("none");
});
