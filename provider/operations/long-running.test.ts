import fc from "fast-check";
import { apiError, CancelledError, ConnectionError, NotFoundError, TimeoutError } from "../core/errors";
import type { Values } from "../core/unknown";
import { testCall } from "../testing/call";
import { FakeClock } from "../testing/clock";
import { clientOf, type ApiClient, type ApiRequest } from "../http/client";
import {
  doingTo,
  LongRunning,
  operationOf,
  pollInterval,
  waitForOperation,
  type Operation,
  type Verb,
} from "./long-running";

const NAME = "projects/p/locations/l/operations/o";
const begun: Operation = { name: NAME, done: false };
const notFound = () =>
  apiError({ doing: "d", resource: NAME, request: "GET u", status: "NOT_FOUND", httpStatus: 404, message: "m" });

/** A client whose operation ends after a time; `answer` may stand in for a poll. */
function client(
  clock: FakeClock,
  duration: number,
  answer: (poll: number) => Values | Error | undefined = () => undefined,
) {
  const start = clock.now();
  const polls: number[] = [];
  const answerTo = ({ path }: ApiRequest): Promise<Values> => {
    expect(path).toBe(NAME);
    polls.push(clock.now() - start);
    const scripted = answer(polls.length);
    if (scripted instanceof Error) return Promise.reject(scripted);
    return Promise.resolve(scripted ?? { name: NAME, done: clock.now() - start >= duration });
  };
  return { api: clientOf("https://networksecurity.googleapis.com/v1beta1/", answerTo), polls };
}

describe("polling", () => {
  test.each([0, 100, 150, 1000, 60_000, 15 * 60_000])(
    "notices the end of an operation of %i ms at most 5 % or 250 ms later, for any random numbers",
    async (duration) => {
      for (const chance of [0, 0.5, 0.999]) {
        const clock = new FakeClock(undefined, () => chance);
        const { api, polls } = client(clock, duration);
        await waitForOperation(api, begun, testCall(clock, { timeout: 3_600_000 }), "creating");
        expect((polls.at(-1) as number) - duration).toBeLessThanOrEqual(Math.max(250, duration * 0.05));
      }
    },
  );

  test("sends polls in proportion to the logarithm of the time, up to the maximum interval", async () => {
    const count = async (duration: number) => {
      const clock = new FakeClock(undefined, () => 1);
      const { api, polls } = client(clock, duration);
      await waitForOperation(api, begun, testCall(clock, { timeout: 3_600_000 }), "creating");
      return polls.length;
    };
    const counts = await Promise.all([12_500, 25_000, 50_000, 100_000, 200_000].map(count));
    const steps = counts.slice(1).map((each, index) => each - (counts[index] as number));
    // Twice the time costs the same number of polls more: ln 2 / ln 1.05.
    for (const step of steps) expect(step).toBeLessThanOrEqual(16);
    expect(await count(15 * 60_000)).toBeLessThan(200);
  });

  test("sends one poll for an operation without duration, and 200 to 280 for a create of 20 minutes", async () => {
    const polls = async (duration: number, chance: number) => {
      const clock = new FakeClock(undefined, () => chance);
      const { api, polls } = client(clock, duration);
      await waitForOperation(api, begun, testCall(clock, { timeout: 3_600_000 }), "creating");
      return polls.length;
    };
    const counts = [0, 30, 100, 1_000, 60_000, 20 * 60_000];
    expect(await Promise.all(counts.map((ms) => polls(ms, 1)))).toEqual([1, 1, 3, 9, 84, 209]);
    expect(await Promise.all(counts.map((ms) => polls(ms, 0)))).toEqual([1, 1, 3, 12, 111, 277]);
  });

  test("keeps each interval between a minimum and ten seconds", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 86_400_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (elapsed, chance) => {
          const interval = pollInterval(elapsed, () => chance);
          expect(interval).toBeGreaterThanOrEqual(30);
          expect(interval).toBeLessThanOrEqual(10_000);
        },
      ),
    );
  });

  test("sends no request for an operation that is done", async () => {
    const clock = new FakeClock();
    const { api, polls } = client(clock, 0);
    await waitForOperation(api, { ...begun, done: true }, testCall(clock), "creating");
    expect(polls).toEqual([]);
  });

  test("accepts 404 only while the operation is new", async () => {
    const clock = new FakeClock();
    const young = client(clock, 1000, (poll) => (poll <= 3 ? notFound() : undefined));
    expect((await waitForOperation(young.api, begun, testCall(clock), "creating")).done).toBe(true);
    const later = new FakeClock();
    const old = client(later, 1000, () => notFound());
    await expect(waitForOperation(old.api, begun, testCall(later), "creating")).rejects.toBeInstanceOf(NotFoundError);
    expect(old.polls.at(-1)).toBeGreaterThan(9_000);
    expect(old.polls.at(-1)).toBeLessThan(12_000);
  });

  test("ends at the deadline of the call", async () => {
    const clock = new FakeClock();
    const start = clock.now();
    const { api } = client(clock, Infinity);
    const waiting = waitForOperation(api, begun, testCall(clock, { timeout: 5_000 }), "creating");
    await expect(waiting).rejects.toBeInstanceOf(TimeoutError);
    expect(clock.now() - start).toBe(5_000);
  });

  test("ends immediately when the call is cancelled", async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    clock.onSleep = (number) => number === 3 && controller.abort();
    const { api, polls } = client(clock, Infinity);
    const waiting = waitForOperation(api, begun, testCall(clock, { signal: controller.signal }), "creating");
    await expect(waiting).rejects.toBeInstanceOf(CancelledError);
    expect(polls).toHaveLength(2);
  });

  test("reports the elapsed time, the limit and the name of the operation", async () => {
    const clock = new FakeClock();
    const call = testCall(clock, { timeout: 20 * 60_000 });
    await waitForOperation(client(clock, 65_000).api, begun, call, "creating");
    expect(call.statuses[0]).toBe("creating: 0 s of at most 20 min 0 s (operation o)");
    expect(call.statuses.at(-1)).toMatch(/^creating: 1 min \d s of at most 20 min 0 s/);
  });
});

describe("operationOf", () => {
  test("reads an operation with and without `done`", () => {
    expect(operationOf({ name: NAME })).toEqual(begun);
    expect(operationOf({ name: NAME, done: false, metadata: { target: "t" } })).toEqual({ ...begun, target: "t" });
    expect(operationOf({ name: NAME, done: true, response: { name: "t" } })).toEqual({
      name: NAME,
      done: true,
      target: "t",
    });
  });

  test("accepts any response without an error", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("name", "done", "error", "metadata", "response"), fc.anything()),
        (answer) => {
          expect(typeof operationOf(answer).done).toBe("boolean");
        },
      ),
    );
  });
});

test("an operation's error has the class of its code, its message and the operation's name", () => {
  const failed = operationOf({ name: NAME, done: true, error: { code: 9, message: "zone is full", details: [] } });
  const things = new LongRunning({} as ApiClient, doingTo("the thing"));
  const error = things.errorOf({ verb: "create", name: "the-name" }, failed);
  expect(error).toMatchObject({ status: "FAILED_PRECONDITION", resource: "the-name" });
  expect(error?.message).toMatch(/zone is full[^]*operation projects\/p/);
  expect(things.errorOf({ verb: "create", name: "the-name" }, { ...begun, done: true })).toBeUndefined();
});

test.each<[Verb, boolean, RegExp]>([
  ["create", false, /\(create\) continues in the cloud; the next .* waits for it/],
  ["update", true, /\(update\) has ended; the next .* checks the result/],
  ["delete", false, /\(delete\) continues in the cloud\. The resource stays/],
  ["delete", true, /\(delete\) has ended\. The resource stays/],
])(
  "the error of a %s whose wait ends early says what becomes of its operation (done: %s)",
  async (verb, done, words) => {
    const work = new LongRunning({} as ApiClient, doingTo("the thing"));
    const kept = work.keep(
      { verb, name: "projects/p/locations/l/things/t", state: {}, operation: { name: "o", done } },
      () => Promise.reject(new ConnectionError("the connection was reset")),
    );
    await expect(kept).rejects.toThrow(words);
  },
);
