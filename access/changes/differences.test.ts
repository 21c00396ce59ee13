import fc from "fast-check";
import { grantKey, grantsOf, type Grant, type Policy } from "../../provider/iam/policy";
import { differences } from "./differences";

const members = [
  "user:ada@example.com",
  "user:Ada@Example.com",
  "group:g@example.com",
  "deleted:user:old@example.com?uid=1",
];
const titles = [undefined, "until-july", "until-june"];

const binding = fc
  .record({
    role: fc.constantFrom("roles/viewer", "roles/admin"),
    members: fc.uniqueArray(fc.constantFrom(...members, "user:grace@example.com"), { minLength: 1 }),
    title: fc.constantFrom(...titles),
  })
  .map(({ title, ...rest }) => ({
    ...rest,
    ...(title ? { condition: { title, expression: `x == "${title}"` } } : {}),
  }));
const policy: fc.Arbitrary<Policy> = fc.record({ bindings: fc.array(binding, { maxLength: 5 }) });

const keysOf = (grants: readonly Grant[]) => new Set(grants.map(grantKey));

test("the changes turn the policy before into the policy after; all other grants are unchanged", () => {
  fc.assert(
    fc.property(policy, policy, (before, after) => {
      const { changes, unchanged } = differences(before, after);
      const keys = keysOf(grantsOf(before));
      const stay = new Set(keys);
      for (const change of changes) {
        // What goes was there, and what comes was not.
        const gone = change.before ?? change.grant;
        if (change.change !== "gained") {
          expect(keys.delete(grantKey(gone))).toBe(true);
          stay.delete(grantKey(gone));
        }
      }
      for (const { change, grant } of changes) {
        if (change === "lost") continue;
        expect(keys.has(grantKey(grant))).toBe(false);
        keys.add(grantKey(grant));
      }
      expect(keys).toEqual(keysOf(grantsOf(after)));
      expect(unchanged).toBe(stay.size);
    }),
  );
});

test("a changed condition is one change, not a loss and a gain", () => {
  const roleOf = ({ role, member }: Grant) => `${role} ${member.toLowerCase()}`;
  fc.assert(
    fc.property(policy, policy, (before, after) => {
      const { changes } = differences(before, after);
      for (const change of changes) {
        if (change.change !== "condition") continue;
        const was = change.before ?? change.grant;
        expect(roleOf(was)).toBe(roleOf(change.grant));
        expect(grantKey(was)).not.toBe(grantKey(change.grant));
      }
      const of = (kind: string) => changes.filter(({ change }) => change === kind).map(({ grant }) => roleOf(grant));
      expect(of("lost").filter((each) => of("gained").includes(each))).toEqual([]);
    }),
  );
});

test("a principal whose last grant is removed has no access left, even if a deleted identity of its name has a grant", () => {
  const before = {
    bindings: [
      { role: "roles/viewer", members: ["user:ada@example.com", "user:grace@example.com", "user:old@example.com"] },
      { role: "roles/admin", members: ["user:Ada@example.com", "deleted:user:gone@example.com?uid=1"] },
    ],
  };
  const after = {
    bindings: [
      { role: "roles/admin", members: ["user:ADA@example.com"] },
      { role: "roles/viewer", members: ["deleted:user:old@example.com?uid=2"] },
    ],
  };
  expect(differences(before, after).noAccessLeft).toEqual(["user:grace@example.com", "user:old@example.com"]);
});

test("a removed grant says so if it gave no access: it had expired, or its principal is deleted", () => {
  const condition = { title: "t", expression: 'request.time < timestamp("2020-01-01T00:00:00Z")' };
  const members = ["user:ada@example.com"];
  const before = {
    bindings: [
      { role: "roles/viewer", members, condition },
      { role: "roles/admin", members: [...members, "deleted:user:gone@example.com?uid=1"] },
    ],
  };
  const changes = differences(before, {}).changes.map(({ grant, gaveNoAccess }) => [grant.role, gaveNoAccess]);
  expect(changes).toEqual([
    ["roles/viewer", "expired"],
    ["roles/admin", undefined],
    ["roles/admin", "deleted"],
  ]);
});
