import { statSync } from "node:fs";
import { causesOf, messageOf, systemCodeOf } from "./message";

test("an error is told by its message, and any other value by its text", () => {
  expect(messageOf(new TypeError("no such thing"))).toBe("no such thing");
  expect(messageOf("gone")).toBe("gone");
  expect(messageOf(undefined)).toBe("undefined");
});

test("an error of the operating system tells its code, and no other value does", () => {
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

test("causes are listed from the outermost in, with an end where they form a circle", () => {
  const inner = new Error("reset");
  const outer = new TypeError("fetch failed", { cause: inner });
  expect(causesOf(outer)).toEqual([outer, inner]);
  expect(causesOf("text")).toEqual(["text"]);
  inner.cause = outer;
  expect(causesOf(outer).length).toBeLessThan(10);
});
