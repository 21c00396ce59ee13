import { review } from "../review";
import type { Rules } from "./rules";

const URN = "urn:pulumi:dev::shop::";
const step = (op: string, type: string, more: object = {}) => {
  const urn = `${URN}${type}::it`;
  const state = { urn, type, custom: true, id: "it", inputs: { size: op }, outputs: {}, ...more };
  const [old, next] = [{ ...state, inputs: {} }, state];
  return {
    op,
    urn,
    ...(op === "create" ? {} : { oldState: old }),
    ...(op === "delete" ? {} : { newState: next }),
  };
};
type Verdict = "fail" | "unknown" | "allow";
const rule = (verdict: Verdict, ...types: string[]): Rules => ({
  policy: { version: 1, otherProviders: [{ types, verdict, reason: "The platform team makes them" }] },
});

/** The exit code, and the rules that are violated. A state is given, so that nothing else is unknown. */
async function judgedBy(rules: Rules, ...steps: object[]) {
  const stack = {
    urn: `${URN}pulumi:pulumi:Stack::shop-dev`,
    type: "pulumi:pulumi:Stack",
    custom: false,
    inputs: {},
    outputs: {},
  };
  const plan = { config: {}, steps: [{ op: "create", urn: stack.urn, newState: stack }, ...steps], changeSummary: {} };
  const resources = steps.flatMap((each) => ("oldState" in each ? [each.oldState] : []));
  const state = JSON.stringify({ deployment: { resources } });
  const { exitCode, stacks } = await review({ plan: JSON.stringify(plan), state, rules, environment: {} });
  const refusing = stacks.flatMap(({ verdict }) => verdict.judgements.filter(({ effect }) => effect === "refuses"));
  return [exitCode, ...refusing.map(({ rule }) => rule)];
}

const NAMED: [string, string][] = [
  ["gcp:pubsub/topic:Topic", "gcp:pubsub/*"],
  ["gcp:storage/bucket:Bucket", "gcp:storage/bucket:Bucket"],
  ["google-native:pubsub/v1:Topic", "google-native:*"],
  ["google:index/pubsubTopic:PubsubTopic", "google:*"],
  ["shop:tf:google_pubsub_topic", "shop:tf:*"],
  ["random:index/randomPet:RandomPet", "random:*"],
  ["azure-native:storage:StorageAccount", "azure*"],
  ["pulumi-nodejs:dynamic:Resource", "pulumi-nodejs:*"],
];

describe.each(NAMED)("a rule decides about each step on %s, which means nothing for access", (type, pattern) => {
  test.each<[Verdict, unknown[]]>([
    ["fail", [2, "otherProviders[0]"]],
    ["unknown", [3, "unknown"]],
    ["allow", [0]],
  ])("%s", async (verdict, expected) => {
    expect(await judgedBy(rule(verdict, pattern), step("create", type))).toEqual(expected);
  });
});

const PET = "random:index/randomPet:RandomPet";
test.each(["create", "update", "replace", "delete"])("it counts a step that changes something: %s", async (op) => {
  expect(await judgedBy(rule("fail", "random:*"), step(op, PET))).toEqual([2, "otherProviders[0]"]);
});

test.each<[string, Rules, object]>([
  ["an unchanged resource", rule("fail", "*"), step("same", PET)],
  ["a resource that the program reads", rule("fail", "*"), step("read", PET, { external: true })],
  ["a resource that stays in the cloud", rule("fail", "*"), step("delete", PET, { retainOnDelete: true })],
  ["a component", rule("fail", "*"), step("create", "shop:index:Pubsub", { custom: false })],
  ["a type that the rule does not name", rule("fail", "azure:*"), step("create", PET)],
  ["a rule without a list", { policy: { version: 1, otherProviders: "fail" } }, step("create", PET)],
  [
    "a resource of this provider",
    rule("fail", "*"),
    step("create", "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation"),
  ],
])("it does not count %s", async (_what, rules, each) => {
  expect(await judgedBy(rules, each)).toEqual([0]);
});

test("a step that the review names anyway is one violation", async () => {
  expect(await judgedBy(rule("fail", "gcp:*"), step("create", "gcp:iam/denyPolicy:DenyPolicy"))).toEqual([
    2,
    "otherProviders[0]",
  ]);
});

test("the strictest file decides", async () => {
  const files = (["allow", "unknown", "fail"] as const).map((verdict) => {
    const { policy } = rule(verdict, "random:*");
    return { file: `${verdict}.yaml`, policy: policy ?? { version: 1 as const } };
  });
  expect((await judgedBy({ files }, step("create", PET)))[0]).toBe(2);
  expect((await judgedBy({ files: files.slice(0, 2) }, step("create", PET)))[0]).toBe(3);
});
