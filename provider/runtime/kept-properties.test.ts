import { SecretTexts } from "../core/secrets";
import { identityIn, keptProperties, noteSecrets, ownProperties, secretPathsIn } from "./kept-properties";

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

test("messages show no element of a list with a secret one, because a refresh may have reordered the list", () => {
  const texts = new SecretTexts();
  noteSecrets({ members: ["user:grace@example.com", "user:ada@example.com"], role: "open" }, [["members", 0]], texts);
  expect(texts.scrub("open to grace@example.com and ada@example.com")).toBe("open to [secret] and [secret]");
});
