import { statSync } from "node:fs";
import fc from "fast-check";
import { NotReadyError, RefusedError } from ".";
import { causesOf, firstProblems, LONGEST_REDACTED, LONGEST_MESSAGE, messageOf, shortened, systemCodeOf } from "./text";

test("keeps a short text, and the beginning and end of a long text", () => {
  const text = "x".repeat(LONGEST_MESSAGE);
  expect(shortened(text)).toBe(text);
  const short = shortened(`begin ${text} end`);
  expect(short).toMatch(/^begin x+… \[cut here: the text is too long for a message\] …x+ end$/);
  expect(short.length).toBeLessThan(LONGEST_MESSAGE + 60);
});

test("returns well-formed text of limited length for any text", () => {
  const text = fc.array(fc.constantFrom("a", "é", "許", "\u{1f600}", "\ud83d", "\ude00", " "), { maxLength: 200 });
  fc.assert(
    fc.property(text, fc.integer({ min: 8, max: 100 }), (parts, longest) => {
      const short = shortened(parts.join(""), longest);
      expect(short.length).toBeLessThan(longest + 60);
      expect(() => encodeURI(short)).not.toThrow();
    }),
  );
});

test("an error limits its message, and redacts a credential before the cut", () => {
  const text = `${"x".repeat(LONGEST_REDACTED - 4_010)} Bearer ya29.${"canary".repeat(2_000)} ${"y".repeat(20_000)}`;
  for (const carried of [new RefusedError(text).message, ...new NotReadyError("id", {}, [text]).reasons]) {
    expect(carried.length).toBeLessThan(LONGEST_REDACTED + 60);
    expect(carried).not.toContain("canary");
  }
});

// With quadratic work, the first text alone would exceed the test's time limit.
test.each(["eyJ-", "eyJ.", "Bearer a.", "authorization: ", '"token":"', "-----BEGIN PRIVATE KEY-----", "x"])(
  "an error can be made of a long text that repeats %j",
  (part) => {
    const { message } = new RefusedError(part.repeat(1_000_000 / part.length));
    expect(message.length).toBeLessThan(LONGEST_REDACTED + 60);
  },
);

test("lists a hundred problems, and the number of omitted problems", () => {
  const numbers = Array.from({ length: 103 }, (_, at) => String(at));
  expect(firstProblems(numbers.slice(0, 100), (text) => text)).toEqual(numbers.slice(0, 100));
  expect(firstProblems(numbers, (text) => text).slice(99)).toEqual(["99", "… and 3 more problems"]);
});

test("the message of an error is its message, and of any other value its text", () => {
  expect(messageOf(new TypeError("no such thing"))).toBe("no such thing");
  expect(messageOf("gone")).toBe("gone");
  expect(messageOf(undefined)).toBe("undefined");
});

test("only errors of the operating system have a code", () => {
  const missing = () => {
    try {
      return statSync("/nowhere/at/all");
    } catch (error) {
      return error;
    }
  };
  expect(systemCodeOf(missing())).toBe("ENOENT");
  expect(systemCodeOf(new Error("ENOENT"))).toBeUndefined();
  expect(systemCodeOf(Object.assign(new Error("refused"), { code: 14 }))).toBeUndefined();
});

test("lists causes from the outermost, and stops when they are circular", () => {
  const inner = new Error("reset");
  const outer = new TypeError("fetch failed", { cause: inner });
  expect(causesOf(outer)).toEqual([outer, inner]);
  expect(causesOf("text")).toEqual(["text"]);
  inner.cause = outer;
  expect(causesOf(outer).length).toBeLessThan(10);
});
