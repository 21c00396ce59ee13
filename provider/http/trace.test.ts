import { systemClock } from "./clock";
import type { HttpRequest } from "./send";
import { traceLayer, traceSinkOf, type TraceSink } from "./trace";

const CANARY = "ya29.canary-token";

function traced(level: "debug" | "trace", showMembers = false) {
  const lines: string[] = [];
  const sink: TraceSink = { level, showMembers, write: (line) => void lines.push(line) };
  const send = traceLayer(
    sink,
    systemClock,
  )(() =>
    Promise.resolve({ status: 200, headers: { "x-request-id": "r-1" }, body: `{"members":["user:ada@example.com"]}` }),
  );
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

test("trace: bodies, with members masked unless asked for", async () => {
  const masked = traced("trace");
  await masked.send();
  expect(masked.lines.join()).not.toMatch(/ada|staff|eve/);
  expect(masked.lines.join()).toContain("user:***@example.com");
  const shown = traced("trace", true);
  await shown.send();
  expect(shown.lines.join()).toContain("user:ada@example.com");
});

test.each(["debug", "trace"] as const)("%s: no token gets out, from wherever it is", async (level) => {
  const { lines, send } = traced(level);
  await send();
  expect(lines.join()).not.toContain("canary");
});

test("only PERIMETER_LOG turns it on", () => {
  expect(traceSinkOf({})).toBeUndefined();
  expect(traceSinkOf({ PERIMETER_LOG: "on" })).toBeUndefined();
  expect(traceSinkOf({ PERIMETER_LOG: "DEBUG" })?.level).toBe("debug");
});
