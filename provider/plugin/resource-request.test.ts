import { ignoringChanges } from "./resource-request";

test.each([
  ["a property", ["network"], { network: "now", labels: { env: "dev", team: "a" } }],
  ["a label", ["labels.env"], { network: "wanted", labels: { env: "changed outside", team: "a" } }],
  [
    "a label that only the resource has",
    ["labels.extra"],
    { network: "wanted", labels: { env: "dev", team: "a", extra: "x" } },
  ],
  ["a label that only the program has", ["labels.team"], { network: "wanted", labels: { env: "dev" } }],
  ["all labels", ["labels[*]"], { network: "wanted", labels: { env: "changed outside", extra: "x" } }],
  ["everything", ["*"], { network: "now", labels: { env: "changed outside", extra: "x" } }],
  ["nothing", [], { network: "wanted", labels: { env: "dev", team: "a" } }],
])("ignoring %s keeps the current value", (_name, ignored, expected) => {
  const wanted = { network: "wanted", labels: { env: "dev", team: "a" } };
  const state = { network: "now", labels: { env: "changed outside", extra: "x" } };
  expect(ignoringChanges(wanted, state, ignored)).toEqual(expected);
});
