import { getOrCompute, once } from "./once";

test("computes a value at the first call only, also if it is undefined", () => {
  const compute = jest.fn(() => undefined);
  const get = once(compute);
  expect(compute).not.toHaveBeenCalled();
  get();
  get();
  expect(compute).toHaveBeenCalledTimes(1);
});

test("callers of an asynchronous function share one promise", async () => {
  const compute = jest.fn(() => Promise.resolve({}));
  const get = once(compute);
  const [first, second] = await Promise.all([get(), get()]);
  expect(first).toBe(second);
  expect(compute).toHaveBeenCalledTimes(1);
});

test.each([
  [
    "thrown",
    () => {
      throw new Error("not yet");
    },
  ],
  ["rejected", () => Promise.reject(new Error("not yet"))],
])("a failure that is %s is not cached", async (_how, fail) => {
  let ready = false;
  const get = once(() => (ready ? Promise.resolve("value") : fail()));
  await expect((async () => get())()).rejects.toThrow("not yet");
  ready = true;
  expect(await get()).toBe("value");
  ready = false;
  expect(await get()).toBe("value");
});

test("keeps the first value of a key", () => {
  const kept = new Map<string, object>();
  const first = getOrCompute(kept, "a", () => ({}));
  expect(getOrCompute(kept, "a", () => ({}))).toBe(first);
  expect(getOrCompute(kept, "b", () => ({}))).not.toBe(first);
});

test("keeps false as a value", () => {
  const compute = jest.fn(() => false);
  const kept = new Map<string, boolean>();
  expect([getOrCompute(kept, "a", compute), getOrCompute(kept, "a", compute)]).toEqual([false, false]);
  expect(compute).toHaveBeenCalledTimes(1);
});
