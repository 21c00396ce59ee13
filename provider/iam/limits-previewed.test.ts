import { addGrants, grantKey, type Grant, type Policy } from "./policy";
import { previewedPolicy } from "./limits";

const grants = (count: number, kind = "user"): Grant[] =>
  Array.from({ length: count }, (_, at) => ({ role: "roles/viewer", member: `${kind}:u${at}@example.com` }));

/** A list that counts the reads of its entries. */
function counted<T extends object>(list: T): { list: T; looks: () => number } {
  let looks = 0;
  const proxy = new Proxy(list, {
    get: (target, name, receiver) => {
      if (typeof name === "string" && /^\d+$/.test(name)) looks += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  return { list: proxy, looks: () => looks };
}

const keysOf = (all: readonly Grant[]) => all.map((grant) => ({ part: grantKey(grant) }));

test("previews of 1,500 grants process each grant of the policy and of the program once", () => {
  const others = counted(grants(1_000, "group").map(({ member }) => member));
  const live: Policy = { bindings: [{ role: "roles/viewer", members: others.list }] };
  const program: { part: string }[] = [];
  const declared = counted(program);
  for (const [at, grant] of grants(1_500).entries()) {
    // The order of a run: check, preview, check, preview, …
    program.push({ part: grantKey(grant) });
    const previewed = previewedPolicy(live);
    expect(previewed.has(grant)).toBe(false);
    expect(previewed.with(declared.list).count).toEqual({ principals: 1_000 + at + 1, groups: 1_000 });
  }
  expect(declared.looks()).toBe(1_500);
  // The grants are read once for the keys, and once for the count.
  expect(others.looks()).toBeLessThanOrEqual(2_000);
});

test("a grant of the policy is not counted again, in any case of its letters; groups are counted separately", () => {
  const live: Policy = { bindings: [{ role: "roles/viewer", members: ["user:U0@example.com"] }] };
  const declared = [...grants(2), ...grants(1, "group")];
  const { count, added } = previewedPolicy(live).with(keysOf(declared));
  expect(count).toEqual({ principals: 3, groups: 1 });
  expect(added).toEqual([declared[1], declared[2]]);
});

test("a different list is counted from the beginning", () => {
  const previewed = previewedPolicy({});
  expect(previewed.with(keysOf(grants(3))).count.principals).toBe(3);
  expect(previewed.with(keysOf(grants(2))).count.principals).toBe(2);
});

test("addGrants puts each grant into the binding into which addGrant puts it", () => {
  const condition = { title: "t", expression: "e" };
  const live: Policy = {
    etag: "e",
    bindings: [{ role: "roles/viewer", members: ["user:x@example.com"] }, { role: "roles/editor" }],
  };
  const [a, b] = grants(2) as [Grant, Grant];
  expect(addGrants(live, [a, { ...b, condition }, b, { ...a, condition }, { ...a, role: "roles/editor" }])).toEqual({
    etag: "e",
    bindings: [
      { role: "roles/viewer", members: ["user:x@example.com", a.member, b.member] },
      { role: "roles/editor", members: [a.member] },
      { role: "roles/viewer", members: [b.member, a.member], condition },
    ],
  });
  expect(addGrants(live, [])).toBe(live);
});
