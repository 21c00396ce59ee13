import { identityIn, keptProperties, ownProperties, secretPathsIn } from "./kept-properties";

const values = { __provider: "text", __identity: "me", __secrets: [["member"], ["condition", "title"]], member: "m" };

test("a resource's own properties, and what is kept beside them", () => {
  expect(ownProperties(values)).toEqual({ member: "m" });
  expect(keptProperties(values)).toEqual({ __identity: "me", __secrets: [["member"], ["condition", "title"]] });
  expect(identityIn(values)).toEqual({ identity: "me" });
  expect(secretPathsIn(values)).toEqual([["member"], ["condition", "title"]]);
});

test("states of releases that kept less", () => {
  expect(keptProperties({ member: "m" })).toEqual({});
  expect(identityIn({ member: "m" })).toEqual({});
  expect(secretPathsIn({ member: "m" })).toEqual([]);
  expect(secretPathsIn({ __secrets: ["member", ["member"], [{}]] })).toEqual([["member"]]);
});
