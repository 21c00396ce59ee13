import * as fs from "node:fs";
import * as path from "node:path";
import { planLimits } from "./plan-limits";
import { readPlan, type Plan, type PlanStep } from "./plan";
import { readStackState, type StackState } from "./state";

const folder = path.join(__dirname, "../../tests/fixtures/plans");
const fixture = (name: string) => fs.readFileSync(path.join(folder, name), "utf8");
const planOf = (name: string) => readPlan(fixture(name));
const STATE = readStackState(fixture("state.json"));

const step = (op: string, type: string): PlanStep => ({ op, urn: `urn:pulumi:s::p::${type}::${op}`, type });
const plan = (...steps: PlanStep[]): Plan => ({
  operation: "update",
  config: {},
  steps,
  errors: [],
  hasUnchanged: true,
});
const OWN = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember";

test("a plan of our grants tells all", () => {
  for (const name of ["update.json", "destroy.json", "npm.json"]) {
    expect(planLimits(planOf(name), STATE)).toEqual({ unknown: [], notes: [] });
  }
});

test("without the state, what waits for its delete is not known", () => {
  expect(planLimits(planOf("update.json"), undefined)).toEqual({
    unknown: [],
    notes: ["The stack's state was not read, so what an earlier update left to delete is not known"],
  });
});

test("the errors of a failed preview are said, the first lines of them", () => {
  const failed = planLimits(planOf("failed.json"), STATE).unknown;
  expect(failed).toEqual([
    { code: "incomplete plan", message: expect.stringMatching(/^The preview failed.*"nonsense"$/) },
  ]);
  const [yaml] = planLimits(planOf("failed-yaml.json"), STATE).unknown;
  expect(yaml?.message).toMatch(/"nowhere" not found$/);
  const errors = ["error: one\n\n  two\nthree\nfour"];
  expect(planLimits({ ...plan(), errors }, STATE).unknown[0]?.message).toMatch(/: one two three$/);
});

test("access changes of other providers are counted in one note", () => {
  const project = "gcp:projects/iAMMember:IAMMember";
  const bucket = "gcp:storage/bucketIAMBinding:BucketIAMBinding";
  const steps = [step("create", OWN), step("create", project), step("delete", bucket), step("update", project)];
  expect(planLimits(plan(...steps, step("same", "gcp:kms/x:KeyIAMMember")), STATE)).toEqual({
    unknown: [],
    notes: [`Not reviewed: 3 access changes of other providers (${project}, ${bucket})`],
  });
});

test("a plan without our grants has a note that says so", () => {
  const { unknown, notes } = planLimits(plan(step("create", "random:index/randomPet:RandomPet")), STATE);
  expect(unknown).toEqual([]);
  expect(notes).toEqual(["No step of the plan is on a member grant of this provider"]);
  expect(planLimits({ ...plan(), operation: "access" }, STATE).notes).toEqual([
    "The stack has no member grant of this provider",
  ]);
});

test.each(["google-native:storage/v1:BucketIamPolicy", "gcp:healthcare/fhirStoreIamBinding:FhirStoreIamBinding"])(
  "a change of %s cannot be followed, and is no mere note",
  (type) => {
    const changed = planLimits(plan(step("delete", type), step("create", OWN)), STATE);
    expect(changed).toEqual({
      unknown: [{ code: "unsupported", step: step("delete", type).urn, message: expect.stringContaining(type) }],
      notes: [],
    });
    for (const op of ["same", "refresh", "read"]) {
      expect(planLimits(plan(step(op, type), step("create", OWN)), STATE).unknown).toEqual([]);
    }
  },
);

test("what an interrupted update did to a grant is not known", () => {
  const urn = "urn:pulumi:s::p::a::b";
  const pending = (operation: string, type: string): StackState => ({
    resources: [],
    pending: [{ operation, urn, type }],
  });
  const limits = planLimits(plan(step("create", OWN)), pending("creating", OWN));
  expect(limits.unknown).toEqual([
    { code: "incomplete state", step: urn, message: expect.stringContaining("while it was creating this grant") },
  ]);
  for (const state of [pending("reading", OWN), pending("creating", "random:index/randomPet:RandomPet")]) {
    expect(planLimits(plan(step("create", OWN)), state).unknown).toEqual([]);
  }
});
