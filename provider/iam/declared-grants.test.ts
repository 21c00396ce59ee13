import { ObjectNotes } from "../core/object-notes";
import { DeclaredGrants, rivalProblem } from "./declared-grants";

const ada = { role: "roles/viewer", member: "user:ada@example.com" };
const grace = { ...ada, member: "user:grace@example.com" };
const store = { url: "https://a/", name: "store" };

test("another grant of another resource on the same one is a rival; the same grant, and one elsewhere, are not", () => {
  const declared = new DeclaredGrants(new ObjectNotes());
  expect(declared.rival(store, ada, "u")).toBeUndefined();
  declared.declare(store, ada, "u");
  expect(declared.rival(store, { ...ada, member: "user:ADA@example.com" }, "v")).toBeUndefined();
  expect(declared.rival(store, grace, "v")).toEqual({ identity: "u" });
  expect(declared.rival(store, { ...ada, condition: { title: "t", expression: "e" } }, "v")).toEqual({ identity: "u" });
  expect(declared.rival({ ...store, name: "other" }, grace, "v")).toBeUndefined();
  expect(declared.rival({ ...store, url: "https://b/" }, grace, "v")).toBeUndefined();
});

test("a resource is no rival of itself, and what it declared before it declares no more", () => {
  const declared = new DeclaredGrants(new ObjectNotes());
  declared.declare(store, ada, "u");
  expect(declared.rival(store, grace, "u")).toBeUndefined();
  declared.declare(store, grace, "u");
  expect(declared.on(store)).toEqual([grace]);
  expect(declared.rival(store, grace, "v")).toBeUndefined();
});

test("resources that nobody knows are each other's rivals", () => {
  const declared = new DeclaredGrants(new ObjectNotes());
  declared.declare(store, ada, undefined);
  expect(declared.rival(store, grace, undefined)).toEqual({ identity: undefined });
});

test("the list of a resource's grants holds each once, and is the same list when it grows", () => {
  const declared = new DeclaredGrants(new ObjectNotes());
  declared.declare(store, ada, "u");
  const list = declared.on(store);
  declared.declare(store, { ...ada, member: "user:ADA@example.com" }, "v");
  declared.declare(store, grace, "w");
  expect(declared.on(store)).toBe(list);
  expect(list).toEqual([ada, grace]);
});

test("what the state has is the stack's own, in its own cloud", () => {
  const declared = new DeclaredGrants(new ObjectNotes());
  declared.noteInState(store, ada);
  expect([declared.isInState(store, ada), declared.isInState(store, grace)]).toEqual([true, false]);
  expect(declared.isInState({ ...store, url: "https://b/" }, ada)).toBe(false);
});

test("the problem names both ways out, and the other resource where it is known", () => {
  expect(rivalProblem("store", "urn::u")).toMatchObject({ path: "name", reason: expect.stringContaining("(urn::u)") });
  expect(rivalProblem("store", undefined).reason).toMatch(/too\. .*grantMode to "merge", or keep one grant/);
});
