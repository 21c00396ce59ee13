/**
 * The delete of a whole policy of `@pulumi/gcp` sends the etag of the state (`ResourceIamPolicyDelete` in
 * terraform-provider-google), and the API refuses it with HTTP 409 where the policy has another one.
 */
import type { PlanStep } from "../../access/plan/plan";
import { creates, deletes, linesOf, planOf, RehearsalCloud, replaces, STORE, VIEWER } from "../support/plans";

const [ADA, EVE] = ["user:ada@example.com", "user:eve@example.com"];
const [ETAG, OTHER_ETAG] = ["BwYAAAAAAAE=", "BwYAAAAAAAI="];
const WHOLE = { type: "gcp:healthcare/fhirStoreIamPolicy:FhirStoreIamPolicy" };
const MEMBER = { type: "gcp:healthcare/fhirStoreIamMember:FhirStoreIamMember" };
const BINDING = { type: "gcp:healthcare/fhirStoreIamBinding:FhirStoreIamBinding" };
const FIRST = { delete: false, pendingReplacement: true };

let cloud: RehearsalCloud;
afterEach(() => cloud.stop());

const inputs = (...members: string[]) => ({
  fhirStoreId: STORE,
  role: undefined,
  policyData: JSON.stringify({ bindings: [{ role: VIEWER, members }] }),
});
/** The whole policy, with this etag in the state. */
const gone = (etag?: string): PlanStep => {
  const step = deletes("whole", inputs(ADA), WHOLE);
  if (step.old && etag !== undefined) step.old.outputs = { ...step.old.outputs, etag };
  return step;
};
const replaced = (etag: string): PlanStep => {
  const step = replaces("whole", inputs(ADA), inputs(EVE), { ...WHOLE, ...FIRST });
  if (step.old) step.old.outputs = { ...step.old.outputs, etag };
  return step;
};
const binding = () =>
  creates("binding", { fhirStoreId: STORE, member: undefined, role: "roles/editor", members: [EVE] }, BINDING);
const member = () => deletes("member", { fhirStoreId: STORE, role: "roles/viewer", member: ADA }, MEMBER);

const LOST = `lost ${ADA} fhirStoreViewer <- whole`;
const UNMANAGED_LOST = `lost ${ADA} roles/viewer <- whole`;

test.each<[string, PlanStep[], { lines: string[]; refused?: RegExp; doubt?: string }]>([
  ["it is deleted as the state has it", [gone(ETAG)], { lines: [UNMANAGED_LOST, LOST] }],
  ["the state has no etag", [gone()], { lines: [UNMANAGED_LOST, LOST] }],
  [
    "somebody has changed it",
    [gone(OTHER_ETAG)],
    { lines: [], refused: /changed since the state was written.*Refresh/ },
  ],
  [
    "it is replaced, and somebody has changed it",
    [replaced(OTHER_ETAG)],
    { lines: [], refused: /changed since the state was written/ },
  ],
  [
    "a binding takes its place",
    [binding(), gone(ETAG)],
    {
      lines: [`gained ${EVE} roles/editor <- binding`],
      refused: /Another step of this update changes the policy first/,
    },
  ],
  ["another delete changes it after it", [gone(ETAG), member()], { lines: [UNMANAGED_LOST, LOST], doubt: "no order" }],
  [
    "another delete changes it before it",
    [member(), gone(ETAG)],
    { lines: [`lost ${ADA} roles/viewer <- member`, LOST], doubt: "no order" },
  ],
])("where %s", async (_what, steps, { lines, refused, doubt }) => {
  const viewers = { role: "roles/viewer", members: [ADA] };
  const store = { etag: ETAG, bindings: [{ role: VIEWER, members: [ADA] }, viewers] };
  cloud = await RehearsalCloud.start({ store });
  const result = await cloud.rehearse(planOf(steps));
  expect(linesOf(result).sort()).toEqual(lines.sort());
  expect(result.refused.map(({ reason }) => reason)).toEqual(
    refused === undefined ? [] : [expect.stringMatching(refused) as string],
  );
  const codes = result.resources.flatMap(({ unknown }) => unknown.map(({ code }) => code));
  expect(codes).toEqual(doubt === undefined ? [] : [doubt]);
});

test("the delete of a project's policy reads it first, and keeps the configuration of audit logs", async () => {
  const name = "projects/demo-project";
  const auditConfigs = [{ service: "allServices", auditLogConfigs: [{ logType: "DATA_READ" }] }];
  const policy = { etag: ETAG, bindings: [{ role: "roles/viewer", members: [ADA] }], auditConfigs };
  cloud = await RehearsalCloud.start({ more: [{ service: "cloudresourcemanager", name, policy }] });
  const ofProject = { type: "gcp:projects/iAMPolicy:IAMPolicy", id: "demo-project" };
  const step = deletes("whole", { project: "demo-project", policyData: "{}" }, ofProject);
  if (step.old) step.old.outputs = { ...step.old.outputs, etag: OTHER_ETAG };
  const result = await cloud.rehearse(planOf([step]));
  expect(linesOf(result, `//cloudresourcemanager.googleapis.com/${name}`)).toEqual([
    `lost ${ADA} roles/viewer <- whole`,
  ]);
  expect(result.refused).toEqual([]);
  expect(result.notes.join()).not.toContain("audit logs");
});
