import { formatPath, quote } from "./problem";

describe("formatPath writes paths as Pulumi does", () => {
  test.each([
    [["labels", "env"], "labels.env"],
    [["bindings", 0, "role"], "bindings[0].role"],
    [["labels", "a.b"], 'labels["a.b"]'],
    [["labels", ""], 'labels[""]'],
    [["a b"], '["a b"]'],
  ])("%j is %s", (path, text) => {
    expect(formatPath(path)).toBe(text);
  });
});

test("quote shows short values, cuts long ones and never spells out lists and objects", () => {
  expect([quote("a"), quote(3), quote(false), quote(null)]).toEqual(['"a"', "3", "false", "null"]);
  expect(quote("x".repeat(1000)).length).toBeLessThan(130);
  expect([quote(["hidden"]), quote({ also: "hidden" })]).toEqual(["a list", "an object"]);
});
