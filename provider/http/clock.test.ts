import { systemClock } from "./clock";

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test("sleeps for the given time", async () => {
  const slept = jest.fn();
  void systemClock.sleep(1000).then(slept);
  await jest.advanceTimersByTimeAsync(999);
  expect(slept).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1);
  expect(slept).toHaveBeenCalled();
});

test("sleeps for the maximum time of a timer if the given time is longer", async () => {
  const slept = jest.fn();
  void systemClock.sleep(60 * 24 * 3_600_000).then(slept);
  await jest.advanceTimersByTimeAsync(24 * 3_600_000);
  expect(slept).not.toHaveBeenCalled();
});

test("wakes immediately when the signal is aborted, and leaves no timer", async () => {
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  const reason = new Error("stop");
  controller.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
  expect(jest.getTimerCount()).toBe(0);
  await expect(systemClock.sleep(1, controller.signal)).rejects.toBe(reason);
});

describe("an alarm", () => {
  test("rings once after its time, even after a month", async () => {
    const ring = jest.fn();
    const month = 31 * 24 * 3_600_000;
    systemClock.alarm(month, ring);
    await jest.advanceTimersByTimeAsync(month - 1);
    expect(ring).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(month);
    expect(ring).toHaveBeenCalledTimes(1);
  });

  test("does not ring after it is turned off", async () => {
    const ring = jest.fn();
    systemClock.alarm(1_000, ring)();
    expect(jest.getTimerCount()).toBe(0);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(ring).not.toHaveBeenCalled();
  });
});

test("random numbers are between 0 and 1", () => {
  for (let count = 0; count < 100; count++) {
    const chance = systemClock.random();
    expect(chance >= 0 && chance < 1).toBe(true);
  }
});
