import { growthOf } from "../../../../tests/support/steps";
import type { Grant, Policy } from "../../../iam/policy";
import { resources } from "../..";
import type { GrantTargets } from "../parent";
import { memberForm } from "./forms";
import { grantsListed } from "./listing";

const NAME = "projects/p/locations/l/datasets/d/fhirStores/s";
const { definition, targets } = resources.find((each) => each.definition.name === "DatasetFhirStoreIamMember") ?? {};

const listed = (policy: Policy) => {
  if (!definition) throw new Error("no such type");
  return grantsListed(policy, { name: NAME, role: undefined }, memberForm, definition, targets as GrantTargets);
};
const policyOf = (...grants: Grant[]): Policy => ({
  bindings: grants.map(({ member, ...binding }) => ({ ...binding, members: [member] })),
});
const grant = (condition?: Grant["condition"], member = "user:ada@example.com"): Grant => ({
  role: "roles/viewer",
  member,
  ...(condition ? { condition } : {}),
});

test("two grants whose ids are the same text are left out: an import would find both", () => {
  const [one, other] = [
    grant({ title: "a", description: "b", expression: "true/c" }),
    grant({ title: "a", description: "b/true", expression: "c" }),
  ];
  expect(listed(policyOf(one, other, grant()))).toMatchObject({
    found: [{ id: `${NAME}/roles/viewer/user:ada@example.com` }],
    leftOut: 2,
    firstProblem: expect.stringMatching(/its id would name another one, too$/) as string,
  });
});

test("grants whose ids differ in the case of a letter alone are both listed, with different names", () => {
  const { found, leftOut } = listed(
    policyOf(grant({ title: "Hours", expression: "true" }), grant({ title: "hours", expression: "true" })),
  );
  expect([found.length, leftOut, new Set(found.map(({ name }) => name)).size]).toEqual([2, 0, 2]);
});

test("a grant whose condition the API hides is left out", () => {
  const hidden = { ...grant(), role: "roles/viewer_withcond_0123456789abcdef0123" };
  expect(listed(policyOf(hidden))).toMatchObject({ found: [], leftOut: 1 });
});

test("all 1,500 members of a policy are listed", () => {
  const all = Array.from({ length: 1500 }, (_, index) => grant(undefined, `user:u${index}@example.com`));
  expect(listed(policyOf(...all)).found).toHaveLength(1500);
});

test("the members of a policy are listed in steps that grow with their number", async () => {
  const growth = await growthOf((load) => {
    const services = load<typeof import("../..")>("provider/services");
    const { memberForm: form } = load<typeof import("./forms")>("provider/services/shared/member-grant/forms");
    const listing = load<typeof import("./listing")>("provider/services/shared/member-grant/listing");
    const type = services.resources.find((each) => each.definition.name === "DatasetFhirStoreIamMember")!;
    const place = { name: "projects/p/locations/l/datasets/d/fhirStores/s", role: undefined };
    return (size) => {
      const members = Array.from({ length: size }, (_, index) => `user:u${index}@example.com`);
      const policy = { bindings: [{ role: "roles/viewer", members }] };
      return listing.grantsListed(policy, place, form, type.definition, type.targets as GrantTargets);
    };
  }, 100);
  expect(growth).toBeLessThan(6);
});
