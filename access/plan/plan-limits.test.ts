import * as fs from "node:fs";
import * as path from "node:path";
import { planLimits } from "./plan-limits";
import { readPlan, type Plan, type PlanStep } from "./plan";
import type { PlannedState } from "./planned-state";
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
  announced: [],
  previewed: [],
  hasUnchanged: true,
  unchangedNotShown: 0,
});
const OWN = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember";

test("a plan with only grants of this provider has no unknown facts", () => {
  for (const name of ["update.json", "destroy.json"]) {
    expect(planLimits(planOf(name), STATE)).toEqual({ unknown: [], notes: [] });
  }
});

describe("a plan that does not show all resources of the state", () => {
  const stack: PlanStep = step("same", "pulumi:pulumi:Stack");
  const [shown, another] = ["a", "b"].map((name) => ({
    ...step("same", OWN),
    urn: `urn:pulumi:s::p::${OWN}::${name}`,
  }));
  const state = (more: Partial<PlannedState> = {}): StackState => ({
    resources: [shown, another].map((each) => ({ urn: each?.urn ?? "", type: OWN, inputs: {}, outputs: {}, ...more })),
    pending: [],
  });
  const message =
    "The plan does not show a resource of the stack's state: the program ended early, or the plan was made with " +
    "another state";
  const of = (more: Partial<Plan>, ...steps: (PlanStep | undefined)[]) =>
    planLimits({ ...plan(...steps.flatMap((each) => each ?? [])), ...more }, state()).unknown;

  test("is incomplete, for example after a program that ended with exit code 32 of Node.js and reported no error", () => {
    expect(of({}, stack, shown)).toEqual([{ code: "incomplete plan", message }]);
    expect(of({ unchangedNotShown: 1, hasUnchanged: false }, stack)).toEqual([{ code: "incomplete plan", message }]);
  });

  test.each<[string, Partial<Plan>, (PlanStep | undefined)[]]>([
    ["it shows or counts all of them", { unchangedNotShown: 1, hasUnchanged: false }, [stack, shown]],
    ["it is a destroy of a part of the stack", { operation: "destroy" }, [stack, shown]],
    ["it has no step of a program", {}, [{ ...stack, op: "delete" }, shown]],
    ["one of them is an alias's former name", {}, [stack, shown, { ...step("same", OWN), old: state().resources[1] }]],
    ["a refresh did not find one in the cloud", {}, [stack, shown, another && { ...another, op: "refresh" }]],
  ])("is not reported if %s", (_what, more, steps) => {
    expect(of(more, ...steps)).toEqual([]);
  });

  test.each([{ delete: true }, { pendingReplacement: true }, { type: "pulumi:providers:perimeter" }])(
    "is not reported where the state alone has them: %j",
    (more) => {
      expect(planLimits(plan(stack, step("create", OWN)), state(more)).unknown).toEqual([]);
    },
  );
});

test("without the state, it is unknown what an earlier update left to delete, and the reason is said", () => {
  const limits = (why?: string) => planLimits(planOf("update.json"), undefined, why);
  expect(limits()).toEqual({
    unknown: [{ code: "incomplete state", message: expect.stringMatching(/left to delete: the review got no state/) }],
    notes: [],
  });
  expect(limits("the backend is gone").unknown[0]?.message).toMatch(/: the backend is gone$/);
});

test.each(["delete", "replace"])(
  "a %s of a grant without an old state is unknown: nothing says who loses access",
  (op) => {
    const { unknown } = planLimits(plan(step(op, OWN)), STATE);
    expect(unknown).toEqual([expect.objectContaining({ code: "incomplete plan", step: step(op, OWN).urn })]);
  },
);

test("the result has the first lines of the errors of a failed preview", () => {
  const failed = planLimits(planOf("failed.json"), STATE).unknown;
  expect(failed).toEqual([
    { code: "incomplete plan", message: expect.stringMatching(/^The preview failed.*"nonsense"$/) },
  ]);
  const [yaml] = planLimits(planOf("failed-yaml.json"), STATE).unknown;
  expect(yaml?.message).toMatch(/"nowhere" not found$/);
  const errors = ["error: one\n\n  two\nthree\nfour"];
  expect(planLimits({ ...plan(), errors }, STATE).unknown[0]?.message).toMatch(/: one two three$/);
});

test("a plan without grants that a review follows has a note that says so", () => {
  const { unknown, notes } = planLimits(plan(step("create", "random:index/randomPet:RandomPet")), STATE);
  expect(unknown).toEqual([]);
  expect(notes).toEqual(["The plan has no step on a grant that this review follows"]);
});

test("the effect of an interrupted update on a grant is unknown", () => {
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
