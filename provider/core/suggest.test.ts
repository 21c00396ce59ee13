import { didYouMean } from "./suggest";

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
