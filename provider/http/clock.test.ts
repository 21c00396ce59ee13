import { systemClock } from "./clock";

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test("sleeps as long as it is told", async () => {
  const slept = jest.fn();
  void systemClock.sleep(1000).then(slept);
  await jest.advanceTimersByTimeAsync(999);
  expect(slept).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1);
  expect(slept).toHaveBeenCalled();
});

test("sleeps long where it is told to sleep longer than timers can count", async () => {
  const slept = jest.fn();
  void systemClock.sleep(60 * 24 * 3_600_000).then(slept);
  await jest.advanceTimersByTimeAsync(24 * 3_600_000);
  expect(slept).not.toHaveBeenCalled();
});

test("wakes at once when the signal is aborted, leaving no timer behind", async () => {
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  const reason = new Error("stop");
  controller.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
  expect(jest.getTimerCount()).toBe(0);
  await expect(systemClock.sleep(1, controller.signal)).rejects.toBe(reason);
});

describe("an alarm", () => {
  test("rings once, when its time has come, however long that is", async () => {
    const ring = jest.fn();
    const month = 31 * 24 * 3_600_000;
    systemClock.alarm(month, ring);
    await jest.advanceTimersByTimeAsync(month - 1);
    expect(ring).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(month);
    expect(ring).toHaveBeenCalledTimes(1);
  });

  test("that is turned off does not ring", async () => {
    const ring = jest.fn();
    systemClock.alarm(1_000, ring)();
    expect(jest.getTimerCount()).toBe(0);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(ring).not.toHaveBeenCalled();
  });
});

test("chance is between 0 and 1", () => {
  for (let count = 0; count < 100; count++) {
    const chance = systemClock.random();
    expect(chance >= 0 && chance < 1).toBe(true);
  }
});
