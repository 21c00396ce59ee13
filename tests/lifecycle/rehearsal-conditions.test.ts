/** Two thirds of the grants of `@pulumi/gcp` read a policy without its conditions. */
import type { PlanStep } from "../../access/plan/plan";
import type { Policy } from "../../provider/iam/policy";
import { creates, deletes, planOf, RehearsalCloud, STORE, VIEWER } from "../support/plans";

const [ADA, EVE] = ["user:ada@example.com", "user:eve@example.com"];
const CONDITION = { title: "until June", expression: 'request.time < timestamp("2099-06-01T00:00:00Z")' };
const BUCKET = "b/files";
const plain: Policy = { bindings: [{ role: VIEWER, members: [ADA] }] };
const conditional: Policy = { bindings: [{ role: VIEWER, members: [ADA], condition: CONDITION }] };

const onStore = { name: undefined, fhirStoreId: STORE };
const onBucket = { name: undefined, bucket: "files" };
const storeType = (kind: string) => ({ type: `gcp:healthcare/fhirStoreIam${kind}:FhirStoreIam${kind}` });
const bucketMember = { type: "gcp:storage/bucketIAMMember:BucketIAMMember" };
const FAILS = /^It is unknown whether the update fails at x: .*HTTP 400/;
const FORGOTTEN = /^It is unknown what the stack keeps of x: /;

test.each<[string, Policy, PlanStep, RegExp | undefined]>([
  [
    "a new member beside a condition",
    conditional,
    creates("x", { ...onStore, member: EVE }, storeType("Member")),
    FAILS,
  ],
  [
    "a deleted member beside a condition",
    conditional,
    deletes("x", { ...onStore, member: EVE }, storeType("Member")),
    FAILS,
  ],
  [
    "a binding beside a condition",
    conditional,
    creates("x", { ...onStore, member: undefined, members: [EVE] }, storeType("Binding")),
    FAILS,
  ],
  [
    "a new member under a condition",
    plain,
    creates("x", { ...onStore, member: EVE, condition: CONDITION }, storeType("Member")),
    FORGOTTEN,
  ],
  ["a new member without one", plain, creates("x", { ...onStore, member: EVE }, storeType("Member")), undefined],
  [
    "a whole policy, which is not read",
    conditional,
    creates("x", { ...onStore, role: undefined, policyData: "{}" }, storeType("Policy")),
    undefined,
  ],
  [
    "a type that reads conditions",
    conditional,
    creates("x", { ...onBucket, member: EVE, condition: CONDITION }, bucketMember),
    undefined,
  ],
])("%s", async (_what, policy, step, expected) => {
  const cloud = await RehearsalCloud.start({ store: policy, more: [{ service: "storage", name: BUCKET, policy }] });
  try {
    const { resources } = await cloud.rehearse(planOf([step]));
    const messages = resources.flatMap(({ unknown }) => unknown.map(({ message }) => message));
    expect(messages).toEqual(expected === undefined ? [] : [expect.stringMatching(expected) as string]);
  } finally {
    await cloud.stop();
  }
});
