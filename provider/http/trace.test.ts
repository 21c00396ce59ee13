import fc from "fast-check";
import { systemClock } from "./clock";
import type { HttpRequest } from "./send";
import { traceLayer, traceSinkOf, type TraceSink } from "./trace";

const CANARY = "ya29.canary-token";

const ANSWER = `{"members":["user:ada@example.com"]}`;

function traced(level: "debug" | "trace", showMembers = false, answer = ANSWER) {
  const lines: string[] = [];
  const sink: TraceSink = { level, showMembers, write: (line) => void lines.push(line) };
  const send = traceLayer(
    sink,
    systemClock,
  )(() => Promise.resolve({ status: 200, headers: { "x-request-id": "r-1" }, body: answer }));
  const request: HttpRequest = {
    method: "POST",
    url: `https://healthcare.googleapis.com/v1beta1/x:setIamPolicy?key=${CANARY}`,
    headers: { authorization: `Bearer ${CANARY}` },
    body: `{"policy":{"bindings":[{"members":["group:staff@example.com","principal://iam.googleapis.com/pool/subject/eve"]}]},"access_token":"${CANARY}"}`,
    signal: new AbortController().signal,
  };
  return { lines, send: (attempt?: number) => send({ ...request, ...(attempt ? { attempt } : {}) }) };
}

test("debug: a line for each request, with status, request id and attempt", async () => {
  const { lines, send } = traced("debug");
  await send();
  await send(2);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/POST https:\/\/healthcare\.googleapis\.com\/v1beta1\/x:setIamPolicy 200 r-1 \d+ ms$/);
  expect(lines[1]).toMatch(/\(attempt 2\)$/);
});

test("trace: bodies, with masked members unless they are requested", async () => {
  const masked = traced("trace");
  await masked.send();
  expect(masked.lines.join()).not.toMatch(/ada|staff|eve/);
  expect(masked.lines.join()).toContain("user:***@example.com");
  const shown = traced("trace", true);
  await shown.send();
  expect(shown.lines.join()).toContain("user:ada@example.com");
});

test("trace: a body is cut after 4,000 characters, with its length", async () => {
  const whole = await lineOf("x".repeat(4_000));
  expect(whole).toMatch(/ x{4000}$/);
  expect(await lineOf("x".repeat(4_001))).toMatch(/ x{4000}… \(4001 characters\)$/);
});

/** The line of a response with this body. */
async function lineOf(body: string, showMembers = false): Promise<string> {
  const { lines, send } = traced("trace", showMembers, body);
  await send();
  return lines.at(-1) as string;
}

test.each([
  [
    "Service account ci@p.iam.gserviceaccount.com does not exist.",
    "Service account ***@p.iam.gserviceaccount.com does not",
  ],
  ["denied on (ada@example.com)", "***@example.com)"],
  ["projects/-/serviceAccounts/ci@p.iam.gserviceaccount.com", "***@p.iam.gserviceaccount.com"],
  ["deleted:user:ada@example.com?uid=1", "deleted:user:***@example.com?uid=1"],
  ["serviceAccount:ci", "serviceAccount:***"],
  ["user:ada", "user:***"],
  ["domain:example.com", "domain:example.com"],
])("trace: an e-mail address is masked everywhere in a body: %s", async (message, shown) => {
  const body = JSON.stringify({ error: { message } });
  const line = await lineOf(body);
  expect(line).toContain(shown);
  expect(line).not.toMatch(/\bci\b|ada/);
  expect(await lineOf(body, true)).toContain(message);
});

test("trace: no body shows an e-mail address or a token, with any text around it", async () => {
  const email = fc
    .tuple(fc.stringMatching(/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{4,20}$/), fc.domain())
    .map(([name, domain]) => ({ secret: `${name}@`, text: `${name}@${domain}` }));
  const word = (pattern: RegExp, before: string) =>
    fc.stringMatching(pattern).map((secret) => ({ secret, text: `${before}${secret}` }));
  const hidden = fc.oneof(
    email,
    email.map(({ secret, text }) => ({ secret, text: `serviceAccount:${text}` })),
    word(/^[A-Za-z0-9_.-]{12,60}[A-Za-z0-9]$/, "ya29."),
    word(/^[A-Za-z0-9_-]{10,30}\.[A-Za-z0-9_-]{10,30}\.[A-Za-z0-9_-]{10,30}$/, "eyJ"),
    word(/^[A-Za-z0-9+/]{22,60}[0-9]==$/, "Bearer "),
    word(/^[A-Za-z0-9]{12,40}$/, "https://h/p?access_token="),
    word(/^[A-Za-z0-9]{12,40}$/, "Authorization: Basic "),
  );
  await fc.assert(
    fc.asyncProperty(fc.string(), hidden, fc.string(), fc.string(), async (before, { secret, text }, after, key) => {
      for (const body of [JSON.stringify({ [key]: [`${before} ${text} ${after}`] }), `${before} ${text}`]) {
        expect(await lineOf(body)).not.toContain(secret);
      }
    }),
    { numRuns: 400 },
  );
});

test.each(["debug", "trace"] as const)("%s: no token is shown from any part of a request", async (level) => {
  const { lines, send } = traced(level);
  await send();
  expect(lines.join()).not.toContain("canary");
});

test("only PERIMETER_LOG turns it on", () => {
  expect(traceSinkOf({})).toBeUndefined();
  expect(traceSinkOf({ PERIMETER_LOG: "on" })).toBeUndefined();
  expect(traceSinkOf({ PERIMETER_LOG: "DEBUG" })?.level).toBe("debug");
});
