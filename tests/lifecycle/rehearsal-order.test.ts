/** Steps on one access policy of which one removes what another makes: the engine carries out independent steps in any order. */
import { UNKNOWN, type Values } from "../../provider/core/unknown";
import type { PlanStep } from "../../access/plan/plan";
import type { PlannedState } from "../../access/plan/planned-state";
import { creates, deletes, planned, planOf, RehearsalCloud, replaces, STORE, updates, VIEWER } from "../support/plans";
import { urnOf } from "../support/tokens";

const [ADA, BOB, EVE] = ["user:ada@example.com", "user:bob@example.com", "user:eve@example.com"];
const OTHER_STORE = `${STORE}-2`;
const ADMIN = "roles/healthcare.fhirStoreAdmin";

let cloud: RehearsalCloud;
const store = { bindings: [{ role: VIEWER, members: [ADA, BOB] }] };
beforeAll(async () => {
  const more = [{ service: "healthcare", name: OTHER_STORE, body: { version: "R4" }, policy: store }];
  cloud = await RehearsalCloud.start({ store, more });
});
afterAll(() => cloud.stop());

type Kind = "Member" | "Binding" | "Policy";

/** The packages whose steps do not wait for each other, with the inputs that name the store, and their types. */
const PACKAGES = {
  gcp: {
    typeOf: (kind: Kind) => `gcp:healthcare/fhirStoreIam${kind}:FhirStoreIam${kind}`,
    on: (name: string): Values => ({ fhirStoreId: name }),
    policy: (bindings: object[]): Values => ({ policyData: JSON.stringify({ bindings }) }),
  },
  "google-native": {
    typeOf: (kind: Kind) => `google-native:healthcare/v1beta1:DatasetFhirStoreIam${kind}`,
    on: (name: string): Values => ({ name }),
    policy: (bindings: object[]): Values => ({ bindings }),
  },
};

describe.each(Object.entries(PACKAGES))("%s", (_name, { typeOf, on, policy }) => {
  const type = (kind: Kind, more: Partial<PlannedState> = {}) => ({ type: typeOf(kind), ...more });
  const member = (who: string, name = STORE): Values => ({ ...on(name), member: who });
  const binding = (...members: string[]): Values => ({ ...on(STORE), member: undefined, members });
  /** It is deleted before it is created. */
  const replacesFirst = (kind: Kind, name: string, old: Values, wanted: Values): PlanStep =>
    replaces(name, old, wanted, { ...type(kind), delete: false, pendingReplacement: true });
  const whole = (...members: string[]): Values => ({
    ...on(STORE),
    role: undefined,
    ...policy(members.length === 0 ? [] : [{ role: VIEWER, members }]),
  });

  /** The doubts about the order, as they begin, whichever of the steps the plan has first. */
  async function doubts(...steps: PlanStep[]): Promise<string[]> {
    const found = [];
    for (const ordered of [steps, steps.toReversed()]) {
      const { resources } = await cloud.rehearse(planOf(ordered));
      const unknown = resources.flatMap((each) => each.unknown).filter(({ code }) => code === "no order");
      found.push(unknown.map(({ message }) => message.replace(/^[^:]*: |,? and the plan does not.*$/gs, "")));
    }
    expect(found[1]).toEqual(found[0]);
    return found[0] ?? [];
  }

  const REMOVED_AND_MADE = "x and y write one grant, which one of them removes and another makes";
  const IN_ONE_ROLE = "x and y write one role, of which one of them removes all other members";

  test.each<[string, () => PlanStep[], string[]]>([
    [
      "the members of a list by index, with one put in front",
      () => [replacesFirst("Member", "x", member(ADA), member(EVE)), creates("y", member(ADA), type("Member"))],
      [REMOVED_AND_MADE],
    ],
    [
      "two members that exchange their grants",
      () => [
        replacesFirst("Member", "x", member(ADA), member(BOB)),
        replacesFirst("Member", "y", member(BOB), member(ADA)),
      ],
      [REMOVED_AND_MADE],
    ],
    [
      "a member that moves to another resource, and one that takes its place",
      () => [
        replacesFirst("Member", "x", member(ADA), member(ADA, OTHER_STORE)),
        creates("y", member(ADA), type("Member")),
      ],
      [REMOVED_AND_MADE],
    ],
    [
      "a binding that moves to another role, and a member of its old one",
      () => [
        replacesFirst("Binding", "x", binding(ADA, BOB), { ...binding(ADA, BOB), role: ADMIN }),
        creates("y", member(EVE), type("Member")),
      ],
      [IN_ONE_ROLE],
    ],
    [
      "a policy and a member",
      () => [creates("x", whole(ADA), type("Policy")), creates("y", member(EVE), type("Member"))],
      ["x replaces the whole access policy, y adds to it"],
    ],
    [
      "members with nobody in common",
      () => [replacesFirst("Member", "x", member(ADA), member(EVE)), creates("y", member(BOB), type("Member"))],
      [],
    ],
    [
      "a member that is deleted, at the end",
      () => [deletes("x", member(ADA), type("Member")), creates("y", member(ADA), type("Member"))],
      [],
    ],
    [
      "a member that depends on the replacement",
      () => [
        replacesFirst("Member", "x", member(ADA), member(EVE)),
        creates("y", member(ADA), type("Member", { dependencies: [urnOf("x", typeOf("Member"))] })),
      ],
      [],
    ],
  ])("%s", async (_what, steps, expected) => {
    await expect(doubts(...steps())).resolves.toEqual(expected);
  });
});

test.each([
  ["@pulumi/gcp", PACKAGES.gcp.typeOf("Member"), "fhirStoreId"],
  ["google-native", PACKAGES["google-native"].typeOf("Member"), "name"],
  ["this provider", "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember", "name"],
])(
  "a grant of %s that moves to a place that is not known yet is lost at the old one, in each order",
  async (_of, type, input) => {
    const on = (name: unknown): Values => ({ name: undefined, [input]: name, member: ADA });
    for (const more of [{ delete: false, pendingReplacement: true }, { delete: true }]) {
      const { resources, unknown } = await cloud.rehearse(
        planOf([replaces("x", on(STORE), on(UNKNOWN), { type, ...more })]),
      );
      expect(
        resources.flatMap(({ changes }) => changes.map(({ change, principal }) => `${change} ${principal}`)),
      ).toContain(`lost ${ADA}`);
      expect([...unknown, ...resources.flatMap((each) => each.unknown)]).not.toEqual([]);
    }
  },
);

test("google-native's update of a member removes the old one, which another step makes", async () => {
  const { typeOf, on } = PACKAGES["google-native"];
  const of = (name: string, who: string) => planned(name, { ...on(STORE), member: who }, { type: typeOf("Member") });
  const steps = [updates(of("x", ADA), of("x", EVE)), creates("y", { member: ADA }, { type: typeOf("Member") })];
  const { resources } = await cloud.rehearse(planOf(steps));
  expect(resources.flatMap((each) => each.unknown)).toEqual([expect.objectContaining({ code: "no order" })]);
});

test("the early delete of a policy of @pulumi/gcp takes what others make before it", async () => {
  const { typeOf, on, policy } = PACKAGES.gcp;
  const first = { type: typeOf("Policy"), delete: false, pendingReplacement: true };
  const data = policy([{ role: VIEWER, members: [ADA, BOB] }]);
  const moved = replaces("x", { ...on(STORE), ...data }, { ...on(OTHER_STORE), ...data }, first);
  const y = creates("y", { ...on(STORE), member: EVE }, { type: typeOf("Member") });
  for (const steps of [
    [moved, y],
    [y, moved],
  ]) {
    const { resources } = await cloud.rehearse(planOf(steps));
    const codes = resources.flatMap((each) => each.unknown.map(({ code }) => code));
    expect(codes).toContain("no order");
  }
});

test("the steps of one process of this provider settle their order themselves", async () => {
  const first = { delete: false, pendingReplacement: true };
  const steps = [replaces("x", { member: ADA }, { member: EVE }, first), creates("y", { member: ADA })];
  const { resources } = await cloud.rehearse(planOf(steps));
  expect(resources.flatMap((each) => each.unknown)).toEqual([]);
});
