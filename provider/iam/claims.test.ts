import { Claims, rivalProblem } from "./claims";

const ada = { role: "roles/viewer", member: "user:ada@example.com" };
const grace = { ...ada, member: "user:grace@example.com" };

test("another grant on the same resource is a rival, the same one and one elsewhere are not", () => {
  const claims = new Claims();
  expect(claims.rival("store", ada)).toBeUndefined();
  claims.claim("store", ada);
  expect(claims.rival("store", { ...ada, member: "user:ADA@example.com" })).toBeUndefined();
  expect(claims.rival("store", grace)).toEqual(ada);
  expect(claims.rival("store", { ...ada, condition: { title: "t", expression: "e" } })).toEqual(ada);
  expect(claims.rival("other", grace)).toBeUndefined();
});

test("a claim is of one grant on one resource", () => {
  const claims = new Claims();
  claims.claim("store", ada);
  expect([claims.isClaimed("store", ada), claims.isClaimed("store", grace), claims.isClaimed("other", ada)]).toEqual([
    true,
    false,
    false,
  ]);
});

test("the problem names both ways out", () => {
  expect(rivalProblem("store").path).toBe("name");
  expect(rivalProblem("store").reason).toMatch(/grantMode to "merge", or keep one grant/);
});
