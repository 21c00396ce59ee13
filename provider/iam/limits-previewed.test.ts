import { growthOf } from "../../tests/support/steps";
import { addGrants, type Grant, type Policy } from "./policy";
import type { DeclaredGrants } from "./declared-grants";
import { previewedPolicy } from "./limits";

const grants = (count: number, kind = "user"): Grant[] =>
  Array.from({ length: count }, (_, at) => ({ role: "roles/viewer", member: `${kind}:u${at}@example.com` }));

const each = (all: readonly Grant[]): DeclaredGrants[] => all.map((grant) => ({ grants: [grant], ownsRole: false }));
const countsIn = (refusal: Error | undefined) =>
  /would have (\d+) principals, (\d+) of them groups/.exec(refusal?.message ?? "");

test("previews of 500 grants in turn count 1,000 others and each grant once", () => {
  const others = grants(1_000, "group").map(({ member }) => member);
  const live: Policy = { bindings: [{ role: "roles/viewer", members: others }] };
  const program: DeclaredGrants[] = [];
  for (const grant of grants(500)) {
    // The order of a run: check, preview, check, preview, …
    program.push({ grants: [grant], ownsRole: false });
    const previewed = previewedPolicy(live);
    expect(previewed.has(grant)).toBe(false);
    expect(previewed.refusal("r", program)).toBeUndefined();
  }
  program.push({ grants: grants(1, "user:z"), ownsRole: false });
  expect(countsIn(previewedPolicy(live).refusal("r", program))?.slice(1)).toEqual(["1501", "1000"]);
});

test("previews of grants in turn take steps that grow with the number of grants", async () => {
  const growth = await growthOf((load) => {
    const limits = load<typeof import("./limits")>("provider/iam/limits");
    return (size) => {
      const members = Array.from({ length: 2 * size }, (_, at) => `group:g${at}@example.com`);
      const live: Policy = { bindings: [{ role: "roles/viewer", members }] };
      const program: DeclaredGrants[] = [];
      for (let at = 0; at < size; at++) {
        program.push({ grants: [{ role: "roles/viewer", member: `user:u${at}@example.com` }], ownsRole: false });
        limits.previewedPolicy(live).refusal("r", program);
      }
    };
  }, 50);
  expect(growth).toBeLessThan(6);
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
