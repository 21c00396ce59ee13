import { formatPath, parsePath, quote, didYouMean } from "./problem";

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

describe("parsePath reads paths as Pulumi writes them", () => {
  test.each([
    ["labels.env", ["labels", "env"]],
    ['labels["a.b"]', ["labels", "a.b"]],
    ['["labels"]["say \\"so\\""]', ["labels", 'say "so"']],
    ["labels[*]", ["labels", "*"]],
    ["bindings[0].role", ["bindings", 0, "role"]],
  ])("%s is a path of %j", (path, segments) => {
    expect(parsePath(path)).toEqual(segments);
  });

  test("parsePath parses the output of formatPath", () => {
    const path = ["labels", "a.b", 0, 'say "so"', "[*]", ""];
    expect(parsePath(formatPath(path))).toEqual(path);
  });
});

test("quote shows short values, cuts long values, and shows only the kind of lists and objects", () => {
  expect([quote("a"), quote(3), quote(false), quote(null)]).toEqual(['"a"', "3", "false", "null"]);
  expect([quote(1n), quote(Symbol("a")), quote(undefined)]).toEqual(["1", "Symbol(a)", "undefined"]);
  expect(quote("x".repeat(1000)).length).toBeLessThan(130);
  expect([quote(["hidden"]), quote({ also: "hidden" })]).toEqual(["a list", "an object"]);
});

const known = [
  "firewallEndpoint",
  "firewallEndpointAssociationId",
  "labels",
  "location",
  "network",
  "requestId",
  "title",
];

test.each([
  ["locaton", "location"],
  ["Network", "network"],
  ["firewall_endpoint", "firewallEndpoint"],
  ["requestID", "requestId"],
  ["label", "labels"],
  ["lables", "labels"],
  ["titel", "title"],
])("%s: did you mean %s?", (word, meant) => {
  expect(didYouMean(word, known)).toBe(` (did you mean "${meant}"?)`);
});

test("returns an empty text when no word is similar", () => {
  expect(didYouMean("color", known)).toBe("");
  expect(didYouMean("anything", [])).toBe("");
});
