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

test("says nothing where no word is near", () => {
  expect(didYouMean("colour", known)).toBe("");
  expect(didYouMean("anything", [])).toBe("");
});
