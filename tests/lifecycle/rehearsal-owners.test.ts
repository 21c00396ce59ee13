/** What the resources of two stacks declare in one access policy, one of which removes what the other declares. */
import { conflictsAmong } from "../../access/rehearsal/owners";
import type { PlanStep } from "../../access/plan/plan";
import type { PlannedState } from "../../access/plan/planned-state";
import { creates, planOf, PlanWorld, same, STORE } from "../support/plans";

const [ADA, EVE] = ["user:ada@example.com", "user:eve@example.com"];
const BY_NUMBER = STORE.replace("demo-project", "123456");
const BINDING = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamBinding";
const GCP = "gcp:healthcare/fhirStoreIam";

let world: PlanWorld;
beforeAll(async () => {
  const policy = { etag: "ACAB" };
  const byNumber = { service: "healthcare", name: BY_NUMBER, body: { version: "R4" }, policy };
  world = await PlanWorld.start({ store: policy, more: [byNumber] });
});
afterAll(() => world.stop());

const one = (more: Partial<PlannedState> = {}, name = STORE) => creates("one", { name, member: ADA }, more);
const other = (name = STORE) => creates("other", { name, member: EVE });
const binding = (name = STORE) => creates("one", { name, member: undefined, members: [ADA] }, { type: BINDING });
const ofGcp = (kind: "Binding" | "Policy" | "Member", values: object) =>
  creates("one", { name: undefined, fhirStoreId: STORE, ...values }, { type: `${GCP}${kind}:FhirStoreIam${kind}` });

test.each<[string, string, [PlanStep, PlanStep], string[]]>([
  ["grants in the mode replace", "replace", [one(), other()], ["one owns policy"]],
  ["a grant that stays, in the mode replace", "replace", [same("one", { member: ADA }), other()], ["one owns policy"]],
  ["grants in the mode merge", "merge", [one(), other()], []],
  ["a binding and a grant", "merge", [binding(), other()], ["one owns role"]],
  [
    "a binding by the id of the project, and a grant by its number",
    "merge",
    [binding(), other(BY_NUMBER)],
    ["one owns role"],
  ],
  [
    "a binding by the number of the project, and a grant by its id",
    "merge",
    [binding(BY_NUMBER), other()],
    ["one owns role"],
  ],
  [
    "a binding of @pulumi/gcp",
    "merge",
    [ofGcp("Binding", { member: undefined, members: [ADA] }), other()],
    ["one owns role"],
  ],
  ["a policy of @pulumi/gcp", "merge", [ofGcp("Policy", { policyData: "{}" }), other()], ["one owns policy"]],
  ["a member of @pulumi/gcp", "merge", [ofGcp("Member", { member: ADA }), other()], []],
])("%s", async (_what, mode, [first, second], expected) => {
  const known: Record<string, string> = { "123456": "demo-project" };
  for (const projectNumbers of [known, {}]) {
    world.emulator.configure({ projectNumbers });
    const stacks = await Promise.all([first, second].map((step) => world.declared(planOf([step], { mode }))));
    const conflicts = conflictsAmong(stacks.flat(), () => true);
    expect(conflicts.map(({ owner }) => `${owner.urn.split("::").at(-1)} owns ${owner.owns}`)).toEqual(expected);
  }
});
