import fc from "fast-check";
import { isDeletedFormOf } from "./member";
import {
  accessChange,
  distinctGrants,
  addGrant,
  grantKey,
  grantsOf,
  grantsOfBinding,
  hasConditions,
  hasGrant,
  membersOf,
  policyToSend,
  removeGrant,
  removeGrants,
  replaceGrants,
  sameCondition,
  sameGrant,
  sameMembers,
  setMembers,
  type Binding,
  type Expr,
  type Grant,
  type Policy,
} from "./policy";

const ada: Grant = { role: "roles/viewer", member: "user:ada@example.com" };
const grace: Grant = { role: "roles/viewer", member: "user:grace@example.com" };
const condition = { title: "t", expression: "true", description: "d" };

// A small set of values, so that grants are often equal.
const members = fc.constantFrom(
  "user:a@b.c",
  "user:A@b.c",
  "group:a@b.c",
  "allUsers",
  "deleted:user:a@b.c?uid=1",
  "principal://x/y/Z",
  "principal://x/y/z",
);
const roles = fc.constantFrom("roles/viewer", "roles/editor");
const conditions = fc.option(
  fc.record(
    { title: fc.constantFrom("t", "u"), expression: fc.constantFrom("true", "false"), description: fc.constant("d") },
    { requiredKeys: ["title", "expression"], noNullPrototype: true },
  ),
  { nil: undefined },
);
const withCondition = <T extends object>(value: T & { condition?: unknown }): T => {
  if (value.condition === undefined) delete value.condition;
  return value;
};
/** `deleted:` members are only read and never granted. */
const grants: fc.Arbitrary<Grant> = fc
  .record(
    { role: roles, member: members.filter((each) => !each.startsWith("deleted:")), condition: conditions },
    { noNullPrototype: true },
  )
  .map((grant) => withCondition(grant) as Grant);
const unknownFields = fc.dictionary(fc.constantFrom("tomorrow", "moreTomorrow"), fc.jsonValue(), {
  noNullPrototype: true,
});
const bindings: fc.Arbitrary<Binding> = fc
  .tuple(fc.record({ role: roles, members: fc.array(members, { maxLength: 4 }), condition: conditions }), unknownFields)
  .map(([binding, more]) => withCondition({ ...binding, ...more }) as Binding);
const policies: fc.Arbitrary<Policy> = fc
  .tuple(
    fc.record(
      {
        version: fc.constantFrom(1, 3),
        bindings: fc.array(bindings, { maxLength: 4 }),
        auditConfigs: fc.array(fc.object(), { maxLength: 2 }),
        etag: fc.string(),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    unknownFields,
  )
  .map(([policy, more]) => ({ ...policy, ...more }));

/** Whether the policy has the grant in the form that it gets when its identity is deleted. */
const hasDeletedForm = (policy: Policy, { role, member, condition }: Grant) =>
  membersOf(policy, { role, ...(condition ? { condition } : {}) }).some((each) => isDeletedFormOf(each, member));

/** The reference model, which treats a policy as the set of its grants. */
const model = (policy: Policy) => new Set(grantsOf(policy).map(grantKey));
const rest = ({ bindings: _, ...others }: Policy) => JSON.stringify(others);
/** The parts of the bindings that a change of one grant must not change in any byte. */
const others = (policy: Policy, grant: Grant) =>
  JSON.stringify(
    (policy.bindings ?? []).map((binding) => {
      const isOf = binding.role === grant.role && sameCondition(binding.condition, grant.condition);
      const kept = (binding.members ?? []).filter((member) => {
        const isMember = isDeletedFormOf(member, grant.member) || sameGrant({ ...grant, member }, grant);
        return !isOf || !isMember;
      });
      return { ...binding, members: kept };
    }),
  );

describe("addGrant", () => {
  test("adds this grant and changes nothing else", () => {
    fc.assert(
      fc.property(policies, grants, (policy, grant) => {
        const after = addGrant(policy, grant);
        expect(model(after)).toEqual(new Set([...model(policy), grantKey(grant)]));
        expect(rest(after)).toBe(rest(policy));
        const before = others(policy, grant);
        const isNewBinding = (after.bindings?.length ?? 0) > (policy.bindings?.length ?? 0);
        expect(others({ ...after, bindings: after.bindings?.slice(0, isNewBinding ? -1 : undefined) }, grant)).toBe(
          before,
        );
      }),
    );
  });

  test("joins the member to the binding of its role and condition, at the end", () => {
    const policy = { bindings: [{ role: "roles/viewer", members: [grace.member], tomorrow: 1 }] };
    expect(addGrant(policy, ada).bindings).toEqual([
      { role: "roles/viewer", members: [grace.member, ada.member], tomorrow: 1 },
    ]);
    const conditional = { ...ada, condition };
    expect(addGrant(policy, conditional).bindings).toEqual([
      policy.bindings[0],
      { role: "roles/viewer", members: [ada.member], condition },
    ]);
  });

  test("returns the same object if the policy has the grant", () => {
    fc.assert(
      fc.property(policies, grants, (policy, grant) => {
        const once = addGrant(policy, grant);
        expect(addGrant(once, grant)).toBe(once);
      }),
    );
  });

  test("gives the same access in any order", () => {
    fc.assert(
      fc.property(policies, grants, grants, (policy, one, other) => {
        expect(model(addGrant(addGrant(policy, one), other))).toEqual(model(addGrant(addGrant(policy, other), one)));
      }),
    );
  });
});

describe("removeGrant", () => {
  test("removes this grant, with the deleted form of its member, and changes nothing else", () => {
    fc.assert(
      fc.property(policies, grants, (policy, grant) => {
        const after = removeGrant(policy, grant);
        const expected = model(policy);
        expected.delete(grantKey(grant));
        if (grant.member.toLowerCase() === "user:a@b.c") {
          expected.delete(grantKey({ ...grant, member: "deleted:user:a@b.c?uid=1" }));
        }
        expect(model(after)).toEqual(expected);
        expect(hasDeletedForm(after, grant)).toBe(false);
        expect(rest(after)).toBe(rest(policy));
        expect(hasGrant(after, grant)).toBe(false);
        const emptied = (text: string) => (JSON.parse(text) as Binding[]).filter((each) => each.members?.length);
        expect(emptied(others(after, grant))).toEqual(emptied(others(policy, grant)));
      }),
    );
  });

  test("removes a binding that loses its last member", () => {
    const policy = { bindings: [{ role: "roles/viewer", members: [ada.member] }], auditConfigs: [{ service: "s" }] };
    expect(removeGrant(policy, ada)).toEqual({ bindings: [], auditConfigs: [{ service: "s" }] });
  });

  test("returns the same object if the policy does not have the grant", () => {
    fc.assert(
      fc.property(policies, grants, (policy, grant) => {
        const once = removeGrant(policy, grant);
        expect(removeGrant(once, grant)).toBe(once);
      }),
    );
  });

  test("reverts addGrant if the policy did not have the grant", () => {
    fc.assert(
      fc.property(policies, grants, (policy, grant) => {
        fc.pre(!hasGrant(policy, grant) && !hasDeletedForm(policy, grant));
        expect(model(removeGrant(addGrant(policy, grant), grant))).toEqual(model(policy));
      }),
    );
  });

  test("addGrant gives the same policy for two different grants in either order", () => {
    fc.assert(
      fc.property(policies, grants, grants, (policy, one, other) => {
        fc.pre(!sameGrant(one, other));
        expect(model(removeGrant(addGrant(policy, one), other))).toEqual(
          model(addGrant(removeGrant(policy, other), one)),
        );
      }),
    );
  });

  const gone = (...list: string[]): Policy => ({ bindings: [{ role: "roles/viewer", members: list }] });

  test.each([
    ["user:ada@example.com", "deleted:user:ada@example.com?uid=123456789012345678901"],
    ["user:Ada@Example.com", "deleted:user:ada@example.com?uid=1"],
    ["serviceAccount:s@p.iam.gserviceaccount.com", "deleted:serviceAccount:s@p.iam.gserviceaccount.com?uid=9"],
    ["group:g@example.com", "deleted:group:g@example.com?uid=g-1"],
    ["principal://iam.googleapis.com/x/subject/Ada", "deleted:principal://iam.googleapis.com/x/subject/Ada"],
  ])(
    "removing %s also removes %s, however often the identity was deleted, and no other identity",
    (member, deleted) => {
      const grant = { role: "roles/viewer", member };
      const kept = ["deleted:user:other@example.com?uid=1", "deleted:principal://iam.googleapis.com/x/subject/ada"];
      const again = deleted.replace(/uid=.*/, "uid=2");
      const policy = gone(...kept, deleted, again, member);
      expect(removeGrant(policy, grant)).toEqual(gone(...kept));
      expect(removeGrant(gone(deleted), grant).bindings).toEqual([]);
      expect([hasGrant(gone(deleted), grant), hasDeletedForm(gone(deleted), grant)]).toEqual([false, true]);
      expect(hasDeletedForm(gone(...kept, member), grant)).toBe(false);
    },
  );

  test("keeps the deleted form of the member in other roles and under other conditions", () => {
    const deleted = ["deleted:user:ada@example.com?uid=1"];
    const policy = {
      bindings: [
        { role: "roles/editor", members: deleted },
        { role: "roles/viewer", members: deleted, condition },
      ],
    };
    expect(removeGrant(policy, ada)).toBe(policy);
    expect(hasDeletedForm(policy, ada)).toBe(false);
  });

  test("a grant with a condition differs from one without", () => {
    const policy = {
      bindings: [
        { role: "roles/viewer", members: [ada.member] },
        { role: "roles/viewer", members: [ada.member], condition },
      ],
    };
    expect(removeGrant(policy, ada).bindings).toEqual([policy.bindings[1]]);
    expect(removeGrant(policy, { ...ada, condition }).bindings).toEqual([policy.bindings[0]]);
  });
});

describe("replaceGrants", () => {
  test("keeps only this grant, and everything that is not a grant", () => {
    fc.assert(
      fc.property(policies, grants, (policy, grant) => {
        const after = replaceGrants(policy, grant);
        expect([...model(after)]).toEqual([grantKey(grant)]);
        expect(rest(after)).toBe(rest(policy));
        expect(replaceGrants(after, grant)).toBe(after);
      }),
    );
  });
});

describe("hasGrant", () => {
  test.each([
    ["user:ADA@example.com", true],
    ["User:ada@example.com", false],
    ["deleted:user:ada@example.com?uid=1", false],
    ["group:ada@example.com", false],
  ])("%s has the access of user:ada@example.com: %p", (member, holds) => {
    expect(hasGrant({ bindings: [{ role: ada.role, members: [member] }] }, ada)).toBe(holds);
  });

  test("compares title, description and expression of a condition, not its location", () => {
    const held = (expr: Expr) =>
      hasGrant({ bindings: [{ role: ada.role, members: [ada.member], condition: expr }] }, { ...ada, condition });
    expect(held(condition)).toBe(true);
    expect(held({ ...condition, location: "somewhere" })).toBe(true);
    for (const part of ["title", "description", "expression"]) expect(held({ ...condition, [part]: "x" })).toBe(false);
  });
});

test("two keys are equal if and only if the grants are equal", () => {
  fc.assert(
    fc.property(grants, grants, (one, other) => {
      expect(grantKey(one) === grantKey(other)).toBe(sameGrant(one, other));
    }),
  );
});

describe("policyToSend", () => {
  const plain: Policy = { version: 1, etag: "e1", bindings: [{ role: "roles/viewer", members: ["user:a@b.c"] }] };
  const conditional: Policy = { version: 3, etag: "e3", bindings: [{ role: "roles/viewer", members: [], condition }] };

  test("has the etag that was read, even if the change modified it", () => {
    expect(policyToSend(plain, { ...plain, etag: "other" }).etag).toBe("e1");
    expect(policyToSend({}, { bindings: [] })).not.toHaveProperty("etag");
  });

  test.each<[string, Policy, Policy, number]>([
    ["no condition before or after: as read", plain, plain, 1],
    ["a policy that was never set", { etag: "ACAB" }, plain, 1],
    ["a condition comes", plain, conditional, 3],
    ["a condition stays", conditional, conditional, 3],
    ["the last condition goes", conditional, plain, 3],
    ["a version read stays", { ...plain, version: 3 }, plain, 3],
    ["a version 0 too", { ...plain, version: 0 }, plain, 0],
    ["a version that the API takes from nobody does not", { ...plain, version: 2 }, plain, 1],
    ["nor one of tomorrow", { ...plain, version: 4 }, plain, 1],
    ["nor does it where a condition is", { ...conditional, version: 2 }, conditional, 3],
  ])("%s", (_what, read, changed, version) => {
    expect(policyToSend(read, changed).version).toBe(version);
  });

  test("hasConditions finds one condition among many bindings", () => {
    expect(hasConditions({ bindings: [...plain.bindings!, ...conditional.bindings!] })).toBe(true);
    expect([hasConditions(plain), hasConditions({})]).toEqual([false, false]);
  });
});

describe("accessChange", () => {
  test("lists who gains, who loses and who keeps which role", () => {
    const before = { bindings: [{ role: "roles/viewer", members: [ada.member, "user:x@y.z"] }] };
    const after = { bindings: [{ role: "roles/viewer", members: ["user:ADA@example.com", grace.member] }] };
    expect(accessChange(before, after)).toEqual({
      gained: [grace],
      lost: [{ role: "roles/viewer", member: "user:x@y.z" }],
      kept: [{ role: "roles/viewer", member: "user:ADA@example.com" }],
    });
  });

  test("is empty between a policy and itself, and swaps gains and losses with its arguments", () => {
    fc.assert(
      fc.property(policies, policies, (one, other) => {
        expect(accessChange(one, one)).toEqual({ gained: [], lost: [], kept: distinctGrants(one) });
        const there = accessChange(one, other);
        const back = accessChange(other, one);
        expect(there.gained.map(grantKey).sort()).toEqual(back.lost.map(grantKey).sort());
      }),
    );
  });
});

describe("a role binding", () => {
  const living = members.filter((each) => !each.startsWith("deleted:"));

  test("sets exactly its members, and changes no other binding", () => {
    fc.assert(
      fc.property(
        policies,
        roles,
        conditions,
        fc.array(living, { minLength: 1, maxLength: 4 }),
        (policy, role, given, wanted) => {
          const binding = { role, members: wanted, ...(given ? { condition: given } : {}) };
          const after = setMembers(policy, binding);
          expect(sameMembers(membersOf(after, binding), wanted)).toBe(true);
          const others = ({ bindings: all = [] }: Policy) =>
            all.filter((each) => each.role !== role || !sameCondition(each.condition, given));
          expect(others(after)).toEqual(others(policy));
          expect({ ...after, bindings: [] }).toEqual({ ...policy, bindings: [] });
          expect(setMembers(after, binding)).toBe(after);
        },
      ),
    );
  });

  test("and member grants in any order do not remove each other's members", () => {
    const owned = { role: "roles/owned", members: ["user:a@b.c", "user:b@b.c"] };
    fc.assert(
      fc.property(policies, fc.array(fc.option(grants)), (policy, steps) => {
        const [withBinding, without] = steps.reduce(
          ([one, other], grant) =>
            grant ? [addGrant(one, grant), addGrant(other, grant)] : [setMembers(one, owned), other],
          [policy, policy],
        );
        expect(grantsOf(removeGrants(withBinding, grantsOfBinding(owned)))).toEqual(grantsOf(without));
      }),
    );
  });
});
