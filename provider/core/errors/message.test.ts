import { statSync } from "node:fs";
import { causesOf, messageOf, systemCodeOf } from "./message";

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
