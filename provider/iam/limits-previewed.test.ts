import { growthOf } from "../../tests/support/steps";
import { addGrants, type Grant, type Policy } from "./policy";
import type { DeclaredGrants } from "./declared-grants";
import { previewedPolicy } from "./limits";

const grants = (count: number, kind = "user"): Grant[] =>
  Array.from({ length: count }, (_, at) => ({ role: "roles/viewer", member: `${kind}:u${at}@example.com` }));

const each = (all: readonly Grant[]): DeclaredGrants[] => all.map((grant) => ({ grants: [grant], ownsRole: false }));
const countsIn = (refusal: Error | undefined) =>
  /would have (\d+) principals, (\d+) of them groups/.exec(refusal?.message ?? "");

test("previews of 500 grants count 1,000 others and each grant once, in steps that grow with their number", () => {
  const preview = (size: number) => {
    const others = grants(2 * size, "group").map(({ member }) => member);
    const live: Policy = { bindings: [{ role: "roles/viewer", members: others }] };
    const program: DeclaredGrants[] = [];
    for (const grant of grants(size)) {
      // The order of a run: check, preview, check, preview, …
      program.push({ grants: [grant], ownsRole: false });
      const previewed = previewedPolicy(live);
      if (previewed.has(grant) || previewed.refusal("r", program)) throw new Error(`refused ${grant.member}`);
    }
    return { live, program };
  };
  expect(growthOf(preview, 50)).toBeLessThan(6);
  const { live, program } = preview(500);
  program.push({ grants: grants(1, "user:z"), ownsRole: false });
  expect(countsIn(previewedPolicy(live).refusal("r", program))?.slice(1)).toEqual(["1501", "1000"]);
});

test("a grant of the policy is not counted again, in any case of its letters", () => {
  const live: Policy = { bindings: [{ role: "roles/viewer", members: ["user:U0@example.com"] }] };
  expect(previewedPolicy(live).refusal("r", each(grants(1_500)))).toBeUndefined();
  expect(countsIn(previewedPolicy({ ...live }).refusal("r", each(grants(1_501))))?.[1]).toBe("1501");
});

test("groups have a limit of their own", () => {
  expect(countsIn(previewedPolicy({}).refusal("r", each(grants(251, "group"))))?.slice(1)).toEqual(["251", "251"]);
});

test("a different list is counted from the beginning", () => {
  const previewed = previewedPolicy({});
  expect(previewed.refusal("r", each(grants(1_501)))).toBeDefined();
  expect(previewed.refusal("r", each(grants(1_500)))).toBeUndefined();
});

test("two bindings together count all their members, and not those whom they remove", () => {
  const live: Policy = {
    bindings: [{ role: "roles/viewer", members: grants(700, "user:old").map(({ member }) => member) }],
  };
  const viewers = { grants: grants(800), ownsRole: true };
  const editors = { grants: grants(800).map((grant) => ({ ...grant, role: "roles/editor" })), ownsRole: true };
  expect(previewedPolicy(live).refusal("r", [viewers])).toBeUndefined();
  const refusal = previewedPolicy({ ...live }).refusal("r", [viewers, editors]);
  expect(countsIn(refusal)?.[1]).toBe("1600");
  expect(refusal?.message).toContain("roles/viewer: 800, roles/editor: 800");
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
