import { FakeClock } from "../testing/clock";
import { StatusLine } from "./status-line";

/** A line that is set every 100 ms for some seconds; `at` has the time of each shown message, in seconds. */
function shownDuring(seconds: number, message: (ms: number) => string = String) {
  const clock = new FakeClock();
  const began = clock.now();
  const shown: { at: number; message: string }[] = [];
  const line = new StatusLine(clock, (text) => shown.push({ at: (clock.now() - began) / 1000, message: text }));
  for (let ms = 0; ms < seconds * 1000; ms += 100) {
    line.set(message(ms));
    clock.advance(100);
  }
  return { clock, line, shown };
}

test("does not report waits shorter than a second", () => {
  const { clock, line, shown } = shownDuring(0.9);
  line.end(true);
  clock.advance(60_000);
  expect(shown).toEqual([]);
});

test("shows the last message after a second", () => {
  const { clock, shown } = shownDuring(0.1, () => "trying again in 30 s");
  clock.advance(900);
  expect(shown).toEqual([{ at: 1, message: "trying again in 30 s" }]);
});

test("twenty minutes give about ten lines, each with the newest message", () => {
  const { shown } = shownDuring(20 * 60);
  expect(shown.map(({ at }) => Math.round(at))).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 436, 616, 796, 976, 1156]);
  for (const { at, message } of shown) expect(at * 1000 - Number(message)).toBeLessThanOrEqual(100);
});

test("shows the same message once", () => {
  const { shown } = shownDuring(60, () => "waiting");
  expect(shown).toHaveLength(1);
});

test("the final message replaces the last one, and no message follows", () => {
  const { clock, line, shown } = shownDuring(65);
  line.end(true);
  expect(shown.at(-1)?.message).toBe("done after 65 s");
  line.set("late");
  clock.advance(600_000);
  expect(shown.at(-1)?.message).toBe("done after 65 s");
});

test("no final message hides the error of a failed call", () => {
  const { line, shown } = shownDuring(65);
  const before = shown.length;
  line.end(false);
  expect(shown).toHaveLength(before);
});
