import { BadAnswerError } from "../core/errors";
import type { Values } from "../core/unknown";
import type { DatedApiClient } from "../http/client";
import { testCall } from "../testing/call";
import { FakeClock } from "../testing/clock";
import { begin } from "./begin";

const REQUEST = { kind: "change", method: "POST", path: "p", doing: "create" } as const;
const DATE = Date.parse("2026-03-01T12:00:00Z");
const at = (ms: number) => new Date(DATE + ms).toISOString();

/** What is answered by an operation with these times, sent so long before, by a clock that is an hour off. */
async function earlier(metadata: Values, { elapsed = 0, dated = true } = {}) {
  const clock = new FakeClock(DATE + 3_600_000);
  const client: DatedApiClient = {
    clock,
    baseUrl: "https://networksecurity.googleapis.com/v1beta1/",
    request: () => Promise.reject(new Error("not asked")),
    exchange: async () => {
      await clock.sleep(elapsed);
      return { body: { name: "operations/o", metadata }, ...(dated ? { date: DATE } : {}) };
    },
  };
  return (await begin(client, REQUEST, testCall(clock))).earlier;
}

test.each<[string, Values, { elapsed?: number }, boolean]>([
  ["began when the answer was dated", { createTime: at(0) }, {}, false],
  ["began after that second began", { createTime: at(900) }, {}, false],
  ["began while the request was repeated", { createTime: at(-50_000) }, { elapsed: 60_000 }, false],
  ["began before the request was first sent", { createTime: at(-61_000) }, { elapsed: 60_000 }, true],
  ["began minutes ago", { createTime: at(-180_000) }, {}, true],
  ["may have lost a fraction of a second", { createTime: "2026-03-01T11:59:59Z" }, {}, false],
  ["took longer than the answer", { createTime: at(-100), endTime: at(100) }, { elapsed: 150 }, true],
  ["took no longer than the answer", { createTime: at(-100), endTime: at(100) }, { elapsed: 200 }, false],
  [
    "may have taken no time",
    { createTime: "2026-03-01T12:00:00Z", endTime: "2026-03-01T12:00:01Z" },
    { elapsed: 20 },
    false,
  ],
])("an operation that %s", async (_what, metadata, options, expected) => {
  expect(await earlier(metadata, options)).toBe(expected);
});

test("nobody can tell where the operation or the answer has no time", async () => {
  expect(await earlier({})).toBeUndefined();
  expect(await earlier({ createTime: "soon" })).toBeUndefined();
  expect(await earlier({ createTime: at(-180_000) }, { dated: false })).toBeUndefined();
});

test("an answer without the operation's name is no answer", async () => {
  const clock = new FakeClock();
  const exchange = () => Promise.resolve({ body: { done: true } });
  const client = { clock, baseUrl: "", request: () => Promise.reject(new Error()), exchange };
  await expect(begin(client, REQUEST, testCall(clock))).rejects.toBeInstanceOf(BadAnswerError);
});
