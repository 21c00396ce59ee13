import { getEventListeners } from "node:events";
import fc from "fast-check";
import { FakeClock } from "../testing/clock";
import { CancelledError, TimeoutError } from "../core/errors";
import { silentReporter } from "../http/call";
import { testCall } from "../testing/call";
import { Pacer } from "./pacer";

/** The boundary between two windows of a minute. */
const atTheEdge = fc.constantFrom(0, 59_999, 61_600, 61_999, 62_000, 62_001, 119_999);
const DOING = "change the policy";
const hour = { timeout: 3_600_000 };

describe("writes within a quota per minute", () => {
  test("for any arrival times, no minute has more writes than the quota allows, also by the server's clock", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.oneof(fc.integer({ min: 0, max: 120_000 }), atTheEdge), { maxLength: 60 }),
        async (perMinute, arrivals) => {
          const clock = FakeClock.waiting();
          const pacer = new Pacer(perMinute, "healthcare");
          const admitted: number[] = [];
          const began = clock.now();
          const all = arrivals.map(async (at) => {
            await clock.sleep(at);
            (await pacer.take(testCall(clock, { timeout: 24 * 3_600_000 }), DOING)).use();
            admitted.push(clock.now() - began);
          });
          await clock.until(Promise.all(all));
          expect(admitted).toHaveLength(arrivals.length);
          for (const from of admitted) {
            const inWindow = admitted.filter((at) => at >= from && at < from + 62_000);
            expect(inWindow.length).toBeLessThanOrEqual(perMinute);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  test("the first writes do not wait, and a part of the quota is left for others", async () => {
    const clock = FakeClock.waiting();
    const pacer = new Pacer(30, "healthcare");
    const began = clock.now();
    const call = testCall(clock, hour);
    for (let count = 0; count < 27; count++) (await clock.until(pacer.take(call, DOING))).use();
    expect(clock.now()).toBe(began);
    await clock.until(pacer.take(call, DOING));
    expect(clock.now() - began).toBe(62_000);
    expect(call.statuses).toEqual(["Waiting about 62 s: the quota is 30 policy changes a minute"]);
  });

  test("each waiting write shows its wait once, by its place in the queue; the first wait is announced", async () => {
    const clock = FakeClock.waiting();
    const pacer = new Pacer(2, "healthcare");
    const announced: string[] = [];
    const announcer = { ...silentReporter, info: (message: string) => void announced.push(message) };
    (await pacer.take(testCall(clock, hour), DOING)).use();
    const calls = [1, 2, 3].map(() => testCall(clock, hour));
    const writes = calls.map(async (call) => (await pacer.take(call, DOING, announcer)).use());
    await clock.until(Promise.all(writes));
    const waiting = (seconds: number) => `Waiting about ${seconds} s: the quota is 2 policy changes a minute`;
    expect(calls.map(({ statuses }) => statuses)).toEqual([[waiting(62)], [waiting(124)], [waiting(186)]]);
    expect(announced).toEqual([
      "The quota of healthcare is 2 policy changes a minute, and this run makes more: this change waits for about 62 s, and " +
        "later changes wait for their turn. perimeter:policyWritesPerMinute sets another quota",
    ]);
  });

  test("a wait leaves no listener on its call's signal, and creates no signal that stays in memory", async () => {
    const any = jest.spyOn(AbortSignal, "any");
    const clock = FakeClock.waiting();
    const pacer = new Pacer(1, "healthcare");
    const call = testCall(clock, hour);
    for (let count = 0; count < 3; count++) (await clock.until(pacer.take(call, DOING))).use();
    expect(getEventListeners(call.signal, "abort")).toHaveLength(0);
    expect(any).not.toHaveBeenCalled();
    any.mockRestore();
  });

  test("without a known quota, no write waits", async () => {
    const clock = FakeClock.waiting();
    const began = clock.now();
    const pacer = new Pacer(undefined, "healthcare");
    for (let count = 0; count < 1_000; count++) (await pacer.take(testCall(clock), DOING)).use();
    expect(clock.now()).toBe(began);
  });

  test("a wait ends with its call, and uses no place of the quota", async () => {
    const clock = FakeClock.waiting();
    const pacer = new Pacer(1, "healthcare");
    const controller = new AbortController();
    (await pacer.take(testCall(clock), DOING)).use();
    const late = pacer.take(testCall(clock, { timeout: 10_000 }), DOING);
    const stopped = pacer.take(testCall(clock, { signal: controller.signal }), DOING);
    const patient = pacer.take(testCall(clock), DOING);
    controller.abort();
    const began = clock.now();
    const [first, second, third] = await clock.until(Promise.allSettled([late, stopped, patient]));
    expect(first).toMatchObject({ reason: expect.any(TimeoutError) as unknown });
    expect(second).toMatchObject({ reason: expect.any(CancelledError) as unknown });
    expect(third.status).toBe("fulfilled");
    expect(clock.now() - began).toBe(62_000);
  });

  test("a wait ends at the deadline of its call, not at the end of the minute", async () => {
    const clock = FakeClock.waiting();
    const pacer = new Pacer(1, "healthcare");
    (await pacer.take(testCall(clock), DOING)).use();
    const began = clock.now();
    const late = pacer.take(testCall(clock, { timeout: 10_000 }), DOING);
    await expect(clock.until(late)).rejects.toBeInstanceOf(TimeoutError);
    expect(clock.now() - began).toBe(10_000);
  });

  test("a returned place goes to the next waiting write immediately, and does not count", async () => {
    const clock = FakeClock.waiting();
    const pacer = new Pacer(2, "healthcare");
    const slot = pacer.tryTake(clock);
    expect(pacer.tryTake(clock)).toBeUndefined();
    const waiting = pacer.take(testCall(clock), DOING);
    const began = clock.now();
    void clock.sleep(10).then(() => slot?.release());
    const next = await clock.until(waiting);
    expect(clock.now() - began).toBe(10);
    next.release();
    next.release();
    expect(pacer.tryTake(clock)).toBeDefined();
  });

  test("a write counts from the time when it is sent, not from the time when it got its place", async () => {
    const clock = FakeClock.waiting();
    const pacer = new Pacer(1, "healthcare");
    const began = clock.now();
    const slot = await pacer.take(testCall(clock), DOING);
    const waiting = pacer.take(testCall(clock), DOING);
    void clock.sleep(30_000).then(() => slot.use());
    await clock.until(waiting);
    expect(clock.now() - began).toBe(92_000);
    slot.release();
    expect(pacer.tryTake(clock)).toBeUndefined();
  });
});
