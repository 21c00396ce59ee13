import type { PolicyLike } from "../../picture/grants";
import { comparedGrants } from "../../emulator/console/page/compared-grants";

const forAWhile = { title: "for a while", expression: "request.time < timestamp('2027-01-01T00:00:00Z')" };

const policy: PolicyLike = {
  bindings: [
    { role: "roles/viewer", members: ["user:ada@example.com", "group:team@example.com"] },
    { role: "roles/viewer", members: ["user:ada@example.com"], condition: forAWhile },
    { role: "roles/editor", members: ["user:ada@example.com"] },
  ],
};

test("a comparison marks added and removed grants, and a changed condition as both", () => {
  const after: PolicyLike = {
    bindings: [
      { role: "roles/viewer", members: ["user:ada@example.com"] },
      { role: "roles/viewer", members: ["user:ada@example.com"], condition: { ...forAWhile, expression: "true" } },
      { role: "roles/editor", members: ["user:ada@example.com"] },
    ],
  };
  const changes = comparedGrants(after, policy).filter(({ change }) => change !== undefined);
  expect(changes.map(({ change, member, condition }) => [change, member, condition?.expression])).toEqual([
    ["added", "user:ada@example.com", "true"],
    ["removed", "group:team@example.com", undefined],
    ["removed", "user:ada@example.com", forAWhile.expression],
  ]);
  expect(comparedGrants(policy, undefined).every(({ change }) => change === undefined)).toBe(true);
  expect(comparedGrants(policy, null).every(({ change }) => change === "added")).toBe(true);
});
