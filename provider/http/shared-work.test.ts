import { setTimeout } from "node:timers/promises";
import { collectGarbage } from "../../tests/support/garbage";
import { CancelledError } from "../core/errors";
import { testCall } from "../testing/call";
import { FakeClock } from "../testing/clock";
import type { Call } from "./call";
import { SharedWork } from "./shared-work";

const clock = new FakeClock();
const ended = () => new CancelledError("over");

/** Work that ends when the test says so. */
function setUp(keepMs?: number) {
  const work = new SharedWork<object>(keepMs);
  const begun: { call: Call; close: () => void; end: (result: object) => void; fail: (error: Error) => void }[] = [];
  const run = (call: Call = testCall(clock)) =>
    work.run("key", call, ended, (shared, close) => {
      return new Promise((end, fail) => void begun.push({ call: shared, close, end, fail }));
    });
  return { work, begun, run };
}

test("calls at the same time share one result, and a later call begins new work", async () => {
  const { begun, run } = setUp();
  const both = [run(), run()];
  await setTimeout();
  expect(begun).toHaveLength(1);
  begun[0]?.end({ at: 1 });
  expect(await Promise.all(both)).toEqual([{ at: 1 }, { at: 1 }]);
  void run();
  await setTimeout();
  expect(begun).toHaveLength(2);
});

test("a call after a drop does not get a result from before it, and earlier calls still get theirs", async () => {
  const { work, begun, run } = setUp(2_000);
  const before = run();
  await setTimeout();
  work.drop();
  const after = run();
  await setTimeout();
  begun.forEach(({ end }, at) => end({ at }));
  expect(await Promise.all([before, after])).toEqual([{ at: 0 }, { at: 1 }]);
  expect(await run()).toEqual({ at: 1 });
});

test("a call does not join work that is closed", async () => {
  const { begun, run } = setUp();
  void run();
  await setTimeout();
  begun[0]?.close();
  void run();
  await setTimeout();
  expect(begun).toHaveLength(2);
});

test("the work continues when one caller leaves, and stops when the last caller leaves", async () => {
  const { begun, run } = setUp();
  const callers = [new AbortController(), new AbortController()] as const;
  const runs = Promise.allSettled(callers.map(({ signal }) => run(testCall(clock, { signal }))));
  await setTimeout();
  callers[0].abort();
  await setTimeout();
  expect(begun[0]?.call.signal.aborted).toBe(false);
  callers[1].abort();
  await runs;
  expect(begun[0]?.call.signal.aborted).toBe(true);
});

test("a failure is not kept", async () => {
  const { begun, run } = setUp(2_000);
  const failing = run();
  await setTimeout();
  begun[0]?.fail(new Error("no"));
  await expect(failing).rejects.toThrow("no");
  void run();
  await setTimeout();
  expect(begun).toHaveLength(2);
});

describe("a result that is kept", () => {
  test("serves later calls for its time, and no call after it", async () => {
    const { work, begun, run } = setUp(2_000);
    const first = run();
    await setTimeout();
    begun[0]?.end({ at: 1 });
    await first;
    clock.advance(1_999);
    expect(await run()).toEqual({ at: 1 });
    clock.advance(1);
    expect(work.has("key", testCall(clock))).toBe(false);
    void run();
    await setTimeout();
    expect(begun).toHaveLength(2);
  });

  test("may be known without work, and replaces an older one for a time of its own", async () => {
    const { work, begun, run } = setUp(2_000);
    work.keep("key", { at: 1 }, testCall(clock));
    clock.advance(1_500);
    work.keep("key", { at: 2 }, testCall(clock));
    clock.advance(1_500);
    expect(await run()).toEqual({ at: 2 });
    clock.advance(500);
    void run();
    await setTimeout();
    expect(begun).toHaveLength(1);
  });

  test("is released after its time, without another call", async () => {
    const { begun, run } = setUp(2_000);
    const result = await kept();
    clock.advance(2_000);
    await setTimeout(1);
    collectGarbage();
    expect(result.deref()).toBeUndefined();

    async function kept(): Promise<WeakRef<object>> {
      const first = run();
      await setTimeout();
      begun.pop()?.end({ policy: "p" });
      return new WeakRef(await first);
    }
  });
});
