import { foreignStepsOf, planOf } from "../../tests/support/foreign-plans";
import { policiesAfter } from "./policies-after";

const [ADA, GRACE] = ["user:ada@example.com", "user:grace@example.com"];
const LIVE = { bindings: [{ role: "roles/viewer", members: [ADA, GRACE] }] };
const PROJECT = "projects/demo-project";

/** The policy of the project after a step that deletes or creates a grant on it. */
function after(op: "delete" | "create", name: string, inputs: object) {
  const type = `gcp:projects/i${name.slice(1)}:${name}`;
  const urn = `urn:pulumi:dev::shop::${type}::it`;
  const state = { urn, type, inputs: { project: "demo-project", role: "roles/viewer", ...inputs }, outputs: {} };
  const steps = foreignStepsOf(planOf({ op, urn, ...(op === "delete" ? { oldState: state } : { newState: state }) }));
  return policiesAfter(steps)(PROJECT, LIVE, "cloudresourcemanager");
}
const members = ({ policy }: ReturnType<typeof after>) => (policy.bindings ?? []).flatMap((each) => each.members ?? []);

test("a deleted member loses the role of the project, and the others keep it", () => {
  const left = after("delete", "IAMMember", { member: ADA });
  expect([members(left), left.isSure]).toEqual([[GRACE], true]);
});

test("a deleted binding takes the role of the project from everybody", () => {
  const left = after("delete", "IAMBinding", { members: [ADA] });
  expect([members(left), left.isSure]).toEqual([[], true]);
});

test("a new member has the role", () => {
  const left = after("create", "IAMMember", { member: "user:new@example.com" });
  expect([members(left), left.isSure]).toEqual([[ADA, GRACE, "user:new@example.com"], true]);
});

test.each([
  ["a binding that is made, because it removes others", "IAMBinding", { members: [ADA] }],
  ["a member that the plan hides", "IAMMember", { member: "[secret]" }],
])("%s leaves it unknown who has the role", (_what, name, inputs) => {
  expect(after("create", name, inputs).isSure).toBe(false);
});

test("other policies stay as they are", () => {
  expect(policiesAfter([])("projects/other", LIVE, "cloudresourcemanager")).toEqual({ policy: LIVE, isSure: true });
});
