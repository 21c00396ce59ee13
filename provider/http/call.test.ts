import { getEventListeners } from "node:events";
import { CancelledError, TimeoutError } from "../core/errors";
import { FakeClock } from "../testing/clock";
import { asCall, checkpoint, onAbort, pause, silentReporter, startCall, unlessAborted } from "./call";
import { systemClock } from "./clock";

const never = new Promise<never>(() => {});
const start = (clock: FakeClock, timeout = 1_000) => startCall(clock, timeout, { reporter: silentReporter });

describe("the signal of a call", () => {
  test("is aborted at the deadline", () => {
    const clock = new FakeClock();
    const { call } = start(clock);
    expect(call.deadline).toBe(clock.now() + 1_000);
    clock.advance(999);
    expect(() => checkpoint(call, "do it")).not.toThrow();
    clock.advance(1);
    expect(() => checkpoint(call, "do it")).toThrow(
      new TimeoutError("Gave up trying to do it: the time limit was reached", { effect: "none" }),
    );
  });

  test("is aborted immediately if there is no time", () => {
    expect(start(new FakeClock(), 0).call.signal.aborted).toBe(true);
  });

  test("is aborted by a stop, and the deadline then changes nothing", () => {
    const clock = new FakeClock();
    const { call, stop } = start(clock);
    stop();
    clock.advance(1_000);
    expect(() => checkpoint(call, "do it")).toThrow(new CancelledError("Stopped while trying to do it"));
  });

  test("is not aborted after the end of the call, and no timer is left", async () => {
    const clock = new FakeClock();
    const { call, end } = start(clock);
    end();
    clock.advance(1_000);
    expect(call.signal.aborted).toBe(false);
    jest.useFakeTimers();
    try {
      await asCall(systemClock, 60_000, () => Promise.resolve());
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  test("has the effect that is known of the requests so far in its error", () => {
    const { call, stop } = start(new FakeClock());
    stop();
    const errorWith = (effect?: "unknown") => {
      try {
        checkpoint(call, "do it", effect);
      } catch (error) {
        return error;
      }
    };
    expect(errorWith()).toMatchObject({ effect: "none" });
    expect(errorWith("unknown")).toMatchObject({ effect: "unknown" });
  });
});

test("a pause ends when the call is over", async () => {
  const clock = new FakeClock();
  const begun = clock.now();
  const late = start(clock);
  await pause(late.call, 400, "do it");
  await expect(pause(late.call, 5_000, "do it")).rejects.toBeInstanceOf(TimeoutError);
  expect(clock.now() - begun).toBe(1_000);
  const stopped = start(clock);
  clock.onSleep = () => stopped.stop();
  await expect(pause(stopped.call, 400, "do it")).rejects.toBeInstanceOf(CancelledError);
  expect(clock.now() - begun).toBe(1_000);
});

test("onAbort calls a listener once, immediately if the signal is aborted already, and not after its removal", () => {
  const controller = new AbortController();
  const [listening, removed, late] = [jest.fn(), jest.fn(), jest.fn()];
  onAbort(controller.signal, listening);
  onAbort(controller.signal, removed)();
  controller.abort();
  expect([listening, removed].map((each) => each.mock.calls.length)).toEqual([1, 0]);
  onAbort(controller.signal, late)();
  expect(late).toHaveBeenCalledTimes(1);
});

describe("unlessAborted", () => {
  test("ends with the promise, or with the signal's reason", async () => {
    const controller = new AbortController();
    expect(await unlessAborted(controller.signal, Promise.resolve("value"))).toBe("value");
    await expect(unlessAborted(controller.signal, Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    const waiting = unlessAborted(controller.signal, never);
    controller.abort(new Error("stop"));
    await expect(waiting).rejects.toThrow("stop");
    await expect(unlessAborted(controller.signal, never)).rejects.toThrow("stop");
  });

  test("removes its listener from the signal", async () => {
    const { signal } = new AbortController();
    await unlessAborted(signal, Promise.resolve());
    await unlessAborted(signal, Promise.reject(new Error("failed"))).catch(() => {});
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
