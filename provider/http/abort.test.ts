import { getEventListeners } from "node:events";
import { onAbort, unlessAborted } from "./abort";

const never = new Promise<never>(() => {});

test("a listener is told of an abort once, of an earlier one at once, and of none when it has left", () => {
  const controller = new AbortController();
  const [told, left, late] = [jest.fn(), jest.fn(), jest.fn()];
  onAbort(controller.signal, told);
  onAbort(controller.signal, left)();
  controller.abort();
  expect([told, left].map((each) => each.mock.calls.length)).toEqual([1, 0]);
  onAbort(controller.signal, late)();
  expect(late).toHaveBeenCalledTimes(1);
});

test("a wait ends with the promise, or with the signal's reason", async () => {
  const controller = new AbortController();
  expect(await unlessAborted(controller.signal, Promise.resolve("value"))).toBe("value");
  await expect(unlessAborted(controller.signal, Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  const waiting = unlessAborted(controller.signal, never);
  controller.abort(new Error("stop"));
  await expect(waiting).rejects.toThrow("stop");
  await expect(unlessAborted(controller.signal, never)).rejects.toThrow("stop");
});

test("a wait that has ended leaves nothing at a signal that lives on", async () => {
  const { signal } = new AbortController();
  await unlessAborted(signal, Promise.resolve());
  await unlessAborted(signal, Promise.reject(new Error("failed"))).catch(() => {});
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
