import * as fs from "node:fs";
import * as path from "node:path";
import { planLimits } from "./plan-limits";
import { readPlan, type Plan, type PlanStep } from "./plan";
import type { PlannedState } from "./planned-state";
import { readStackState, type StackState } from "./state";
import { stepsOf } from "./steps";

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
const limitsOf = (of: Plan, state: StackState | undefined, why?: string, differs = false) =>
  planLimits(of, stepsOf(of), state, { why, differs });
const OWN = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember";

test("a plan with only grants of this provider has no unknown facts", () => {
  for (const plan of [planOf("update.json"), readPlan(fixture("destroy.json"), "destroy")]) {
    expect(limitsOf(plan, STATE)).toEqual({ unknown: [], notes: [] });
  }
});

describe("the command of a plan", () => {
  const deleted = (type: string): PlanStep => ({
    ...step("delete", type),
    old: { urn: "u", type, inputs: {}, outputs: {} },
  });
  const deletes = plan(deleted(OWN));
  const unknownOf = (of: Plan) => limitsOf(of, { resources: [], pending: [] }).unknown;

  const ofDeletes = (type: string, more: Partial<Plan> = {}): Plan => {
    return { ...plan(deleted(type)), mayBeDestroy: true, ...more };
  };
  const doubts = (of: Plan, state: StackState | undefined, differs: boolean) =>
    limitsOf(of, state, "it is not there", differs).unknown.filter(({ code }) => code === "incomplete plan");
  const EMPTY = { resources: [], pending: [] };

  test.each([[OWN], ["gcp:storage/bucket:Bucket"], ["google-native:pubsub/v1:Topic"], ["google:index/topic:Topic"]])(
    "is unknown if a plan has deletes alone, nobody says --destroy, and a destroy has other settings: %s",
    (type) => {
      expect(doubts(ofDeletes(type), EMPTY, true)).toMatchObject([
        { message: expect.stringMatching(/uses other settings .*\. If .* add --destroy .* --show-sames/) as string },
      ]);
      expect(doubts(ofDeletes(type), EMPTY, false)).toEqual([]);
    },
  );

  test("is unknown for grants of this provider if nothing shows the unchanged resources", () => {
    const other = "gcp:pubsub/topicIAMMember:TopicIAMMember";
    expect(doubts(ofDeletes(OWN, { hasUnchanged: false }), undefined, false)).toMatchObject([
      { message: expect.stringContaining("from resources that the plan does not show. If") as string },
    ]);
    expect(doubts(ofDeletes(OWN, { hasUnchanged: false }), EMPTY, false)).toEqual([]);
    expect(doubts(ofDeletes(OWN), undefined, false)).toEqual([]);
    expect(doubts(ofDeletes(other, { hasUnchanged: false }), undefined, false)).toEqual([]);
  });

  test("does not matter if it is known", () => {
    expect(unknownOf(deletes)).toEqual([]);
    expect(unknownOf({ ...deletes, operation: "destroy" })).toEqual([]);
  });

  test.each([["create"], ["update"], ["replace"], ["import"]])(
    "is not `pulumi destroy` if the plan has the step %s",
    (op) => {
      const message = expect.stringContaining(`the plan has the step ${op}, which no destroy has`) as string;
      const before = deleted(OWN);
      const other: PlanStep = { ...before, op, ...(before.old && { new: before.old }) };
      expect(unknownOf({ ...plan(other), operation: "destroy" })).toMatchObject([{ code: "incomplete plan", message }]);
    },
  );
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
    limitsOf({ ...plan(...steps.flatMap((each) => each ?? [])), ...more }, state()).unknown;

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
      expect(limitsOf(plan(stack, step("same", OWN)), state(more)).unknown).toEqual([]);
    },
  );
});

test("without the state, it is unknown what an earlier update left to delete, and the reason is said", () => {
  const limits = (why?: string) => limitsOf(planOf("update.json"), undefined, why);
  expect(limits()).toEqual({
    unknown: [{ code: "incomplete state", message: expect.stringMatching(/left to delete: the review got no state/) }],
    notes: [],
  });
  expect(limits("the backend is gone").unknown[0]?.message).toMatch(/: the backend is gone$/);
});

describe("a step on access without the states that the engine shows with it is unknown", () => {
  const types = [
    OWN,
    "pulumi-nodejs:dynamic/iam/v1:ResourceIamBinding",
    "gcp:pubsub/topicIAMMember:TopicIAMMember",
    "google-native:pubsub/v1:TopicIamPolicy",
    "google:index/pubsubTopicIamMember:PubsubTopicIamMember",
    "gcp:storage/bucketObject:BucketObject",
  ];
  test.each(
    types.flatMap((type) => [
      [type, "create", "gains access: the step create in the plan has no new state"],
      [type, "import", "gains access: the step import in the plan has no new state"],
      [type, "update", "gains and who loses access: the step update in the plan has no old and no new state"],
      [type, "replace", "gains and who loses access: the step replace in the plan has no old and no new state"],
      [type, "delete", "loses access: the step delete in the plan has no old state"],
    ]),
  )("%s: %s", (type, op, words) => {
    expect(limitsOf(plan(step(op, type)), STATE).unknown).toEqual([
      { code: "incomplete plan", message: `It is unknown who ${words}`, step: step(op, type).urn },
    ]);
  });

  test.each([
    ["same", OWN],
    ["refresh", OWN],
    ["create", "random:index/randomPet:RandomPet"],
    ["create", "gcp:projects/iAMAuditConfig:IAMAuditConfig"],
  ])("but not a step that moves no access: %s %s", (op, type) => {
    expect(limitsOf(plan(step(op, type)), STATE).unknown).toEqual([]);
  });
});

describe("the result says why a preview failed", () => {
  const stackUrn = "urn:pulumi:s::p::pulumi:pulumi:Stack::p-s";
  const failed = (...diagnostics: object[]) => limitsOf(readPlan(JSON.stringify({ diagnostics })), STATE).unknown;
  const error = (message: string, urn = stackUrn) => ({ urn, message, severity: "error" });
  const printed = (message: string, urn = "") => ({ urn, message, severity: "info#err" });

  test.each<[string, object[], string]>([
    [
      "the last line of a stack trace",
      [
        error(
          'error: Program failed with an unhandled exception:\nTraceback (most recent call last):\n  File "a.py", line 1\n' +
            "    one\n    two\n    import pulumi_gcp\nModuleNotFoundError: No module named 'pulumi_gcp'\n",
        ),
      ],
      'Program failed with an unhandled exception: Traceback (most recent call last): File "a.py", line 1 … ' +
        "import pulumi_gcp ModuleNotFoundError: No module named 'pulumi_gcp'",
    ],
    ["all of a short error", [error("error: one\n\n  two\nthree\nfour")], "one two three four"],
    [
      "what the program printed when it could not run",
      [printed("It looks like the Pulumi SDK has not been installed."), error("program exited with code 1", "")],
      "program exited with code 1 It looks like the Pulumi SDK has not been installed.",
    ],
    [
      "what it printed if there is no error at all",
      [{ severity: "warning", message: "warning: a plugin" }, printed("no SDK\n"), printed("install it", stackUrn)],
      "no SDK install it",
    ],
    [
      "only the error if a resource has it, because then the program ran",
      [printed("a deprecated option"), error("error: no such role", "urn:pulumi:s::p::a:b:C::d")],
      "no such role",
    ],
    ["each of a few errors", ["a", "b", "c"].map((each) => error(`error: ${each}`)), "a b c"],
    ["the first and the last of many", [..."abcdefg"].map((each) => error(`error: ${each}`)), "a b c … f g"],
    ["the beginning of a long line", [error("x".repeat(1000))], `${"x".repeat(300)}… (700 more characters)`],
  ])("%s", (_what, diagnostics, quoted) => {
    const message = `The preview failed, so the plan does not show all steps of the update: ${quoted}`;
    expect(failed(...diagnostics)).toEqual([{ code: "incomplete plan", message, quoted }]);
  });

  test("or that it ended before its first step, if it does not say more", () => {
    const [unknown] = failed({ severity: "warning", message: "warning: a plugin from $PATH" });
    expect(unknown).toEqual({ code: "incomplete plan", message: expect.stringMatching(/before its first step$/) });
  });

  test("also in plans of real previews", () => {
    const messageOf = (name: string) => limitsOf(planOf(name), STATE).unknown[0]?.message;
    expect(messageOf("failed.json")).toMatch(/^The preview failed.*"nonsense"$/);
    expect(messageOf("failed-yaml.json")).toMatch(/"nowhere" not found on Pulumi.yaml line 1: 1: /);
  });
});

test("a plan without grants that a review follows has a note that says so", () => {
  const { unknown, notes } = limitsOf(plan(step("create", "random:index/randomPet:RandomPet")), STATE);
  expect(unknown).toEqual([]);
  expect(notes).toEqual(["The plan has no step on a grant that this review follows"]);
});

test.each([
  "gcp:storage/bucketACL:BucketACL",
  "gcp:bigquery/datasetAccess:DatasetAccess",
  "gcp:serviceaccount/key:Key",
])("a plan with a step on %s has no such note", (type) => {
  expect(limitsOf(plan(step("create", type)), STATE).notes).toEqual([]);
  expect(limitsOf(plan(step("same", type)), STATE).notes).toHaveLength(1);
});

test("the effect of an interrupted update on a grant is unknown", () => {
  const urn = "urn:pulumi:s::p::a::b";
  const pending = (operation: string, type: string): StackState => ({
    resources: [],
    pending: [{ operation, urn, type }],
  });
  const limits = limitsOf(plan(step("same", OWN)), pending("creating", OWN));
  expect(limits.unknown).toEqual([
    { code: "incomplete state", step: urn, message: expect.stringContaining("while it was creating this grant") },
  ]);
  for (const state of [pending("reading", OWN), pending("creating", "random:index/randomPet:RandomPet")]) {
    expect(limitsOf(plan(step("same", OWN)), state).unknown).toEqual([]);
  }
});
