import type { Values } from "../core/unknown";
import type { ApiClient } from "../http/client";
import { testCall } from "../testing/call";
import { FakeClock } from "../testing/clock";
import type { Begun } from "./begin";
import { createOnce, type Creation } from "./create";
import { doingTo, LongRunning } from "./long-running";

const NAME = "projects/p/locations/l/things/t";
const ERROR = { code: 9, message: "zone is full", details: [] };
/** Milliseconds that each request takes. */
const LATENCY = 3_000;

interface Options {
  /** The request id of the program. */
  given?: string;
  /** How an operation ends that goes on when it is answered. */
  ends?: Values;
  /** Milliseconds from the answer of this create's own operation until reads show what it made. */
  appears?: number;
}

/** Runs a create whose requests are answered by these operations, in order, and then by one of this create's own. */
async function create(answers: Partial<Begun>[], { given, ends, appears = 0 }: Options = {}) {
  const clock = new FakeClock();
  const client: ApiClient = {
    clock,
    baseUrl: "https://networksecurity.googleapis.com/v1beta1/",
    request: ({ path }) => Promise.resolve({ name: path, done: true, ...ends }),
  };
  const ids: string[] = [];
  let seenFrom = Infinity;
  const creation: Creation<Values> = {
    longRunning: new LongRunning(() => client, doingTo("the thing")),
    given,
    requestId: (after) => `id after ${after ?? "nothing"}`,
    begin: (requestId) => {
      clock.advance(LATENCY);
      const number = ids.push(requestId);
      if (number > answers.length) seenFrom = clock.now() + appears;
      return Promise.resolve({ name: `o${number}`, done: false, ...answers[number - 1] });
    },
    nameOfCreated: () => NAME,
    provisional: {},
    read: () => Promise.resolve(clock.now() >= seenFrom ? { isThere: true } : undefined),
    belongsToAnother: () => false,
    isMadeBy: () => true,
  };
  const start = clock.now();
  const created = await createOnce(creation, testCall(clock));
  return { created, kind: created.kind, ids, requests: ids.length, took: clock.now() - start };
}

/** The operation of an older create, whose thing is gone. */
const OLDER = { done: true, earlier: true };
/** One that does not tell when it began. */
const UNDATED = { done: true };

test("a create goes from id to id while each brings back the operation of an older create", async () => {
  const { created, ids } = await create([OLDER, OLDER, OLDER]);
  expect(created).toEqual({ kind: "made", name: NAME, state: { isThere: true } });
  expect(ids).toEqual(["id after nothing", "id after o1", "id after o2", "id after o3"]);
});

test("it tries one other id, and no third, where the operations do not tell when they began", async () => {
  expect(await create([UNDATED])).toMatchObject({ kind: "made", requests: 2 });
  expect(await create([UNDATED, UNDATED])).toMatchObject({ kind: "failed", requests: 2 });
});

test("a failed operation is another create's only where it was over when it was answered, and may have begun before", async () => {
  const error = ERROR;
  expect(await create([{}], { ends: { error } })).toMatchObject({ kind: "failed", requests: 1 });
  expect(await create([{ done: true, earlier: false, error }])).toMatchObject({ kind: "failed", requests: 1 });
  expect(await create([{ ...UNDATED, error }])).toMatchObject({ kind: "made", requests: 2 });
});

test.each([
  [0, 2],
  [500, 2],
  [-500, 2],
  [501, 3],
  [-501, 3],
])(
  "two operations that failed at once, %i ms further apart than their requests: %i requests",
  async (further, requests) => {
    // The server's clocks differ so much that both seem older.
    const first = { ...OLDER, error: ERROR, began: 0 };
    const second = { ...first, began: LATENCY + further };
    expect(await create([first, second])).toMatchObject({ kind: requests === 2 ? "failed" : "made", requests });
    expect(await create([{ ...first, began: undefined }, second])).toMatchObject({ kind: "made", requests: 3 });
  },
);

test("it looks longer for what a running operation makes than for what one made that was over", async () => {
  expect(await create([], { appears: 4_000 })).toMatchObject({ kind: "made", requests: 1 });
  const { took } = await create([OLDER]);
  expect(took - 2 * LATENCY).toBeLessThan(2_000);
});

test.each([
  [ERROR, ", which failed: zone is full"],
  [undefined, ", and what it made is not there, is another one, or belongs to another resource"],
])("the program's own id is not exchanged: an older create with error %j", async (error, words) => {
  const { created, ids } = await create([{ ...OLDER, error }], { given: "mine" });
  expect(ids).toEqual(["mine"]);
  expect(created).toMatchObject({ kind: "stale", name: NAME });
  expect((created as { error: Error }).error.message).toContain(`that had the same requestId${words}`);
});
