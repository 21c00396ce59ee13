import { RequestLog } from "./request-log";

const opened = (log: RequestLog, path: string, query = "") =>
  log.open(
    { method: "GET", path, parameters: new URLSearchParams(query), headers: {} },
    "2026-03-01T12:00:00Z",
    undefined,
  );

test("the log keeps the newest 20,000 requests", () => {
  const log = new RequestLog();
  for (let index = 1; index <= 20_001; index++) opened(log, "/v1/short");
  expect(log.last(1)).toMatchObject([{ seq: 20_001 }]);
  expect(log.all().length).toBeLessThanOrEqual(20_000);
  expect(log.all().length).toBeGreaterThan(10_000);
});

test.each([
  ["paths", (log: RequestLog) => opened(log, `/${"n".repeat(10_000)}`)],
  ["queries", (log: RequestLog) => opened(log, "/v1/short", `filter=${"n".repeat(10_000)}`)],
])("long %s shorten it, so that its texts have at most 16 million characters", (_what, open) => {
  const log = new RequestLog();
  for (let index = 1; index <= 4_000; index++) open(log);
  const kept = log.all();
  expect(kept.at(-1)?.seq).toBe(4_000);
  expect(kept.length * 10_000).toBeLessThanOrEqual(16_000_000);
  expect(kept.length).toBeGreaterThan(1_000);
});

test("after a clear, the log counts from the start again", () => {
  const log = new RequestLog();
  for (let index = 1; index <= 1_500; index++) opened(log, `/${"n".repeat(10_000)}`);
  log.clear();
  for (let index = 1; index <= 1_500; index++) opened(log, `/${"n".repeat(10_000)}`);
  expect(log.all()).toHaveLength(1_500);
});
