import { identityIn, keptProperties, ownProperties, secretPathsIn } from "./kept-properties";

const values = { __provider: "text", __identity: "me", __secrets: [["member"], ["condition", "title"]], member: "m" };

test("separates a resource's properties from the kept properties", () => {
  expect(ownProperties(values)).toEqual({ member: "m" });
  expect(keptProperties(values)).toEqual({ __identity: "me", __secrets: [["member"], ["condition", "title"]] });
  expect(identityIn(values)).toEqual({ identity: "me" });
  expect(secretPathsIn(values)).toEqual([["member"], ["condition", "title"]]);
});

test("accepts states of releases with fewer kept properties", () => {
  expect(keptProperties({ member: "m" })).toEqual({});
  expect(identityIn({ member: "m" })).toEqual({});
  expect(secretPathsIn({ member: "m" })).toEqual([]);
  expect(secretPathsIn({ __secrets: ["member", ["member"], [{}]] })).toEqual([["member"]]);
});
