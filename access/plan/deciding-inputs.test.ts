import { foreignStepsOf, planOf } from "../../tests/support/foreign-plans";
import { shownSecret } from "../../tests/support/state";
import { foreignResources } from "./foreign-steps";

const urnOf = (type: string) => `urn:pulumi:dev::shop::${type}::it`;
const [BUCKET, LIST, DENIAL, POLICY, SERVICE] = [
  "gcp:storage/bucket:Bucket",
  "gcp:storage/defaultObjectACL:DefaultObjectACL",
  "gcp:iam/denyPolicy:DenyPolicy",
  "gcp:orgpolicy/policy:Policy",
  "gcp:cloudrunv2/service:Service",
];

/** What an engine prints of a step. @param more beside the step */
function step(op: string, type: string, old?: object, next?: object, more: object = {}) {
  const state = (inputs?: object) => inputs && { urn: urnOf(type), type, custom: true, inputs, outputs: {} };
  return { op, urn: urnOf(type), oldState: state(old), newState: state(next), ...more };
}

const digestsIn = (...steps: object[]) =>
  foreignResources(foreignStepsOf(planOf(...steps))).flatMap(({ unknown }) => unknown.map(({ digest }) => digest));

/** A bucket with a name that the preview makes up, and a list that has it. */
function listOf(name: string, text: string) {
  const inputs = { bucket: text, roleEntities: ["READER:allUsers"] };
  const list = {
    urn: urnOf(LIST),
    type: LIST,
    custom: true,
    inputs,
    propertyDependencies: { bucket: [urnOf(BUCKET)] },
  };
  return [
    step("create", BUCKET, undefined, { __defaults: ["name"], name }),
    { op: "create", urn: list.urn, newState: { ...list, outputs: {} } },
  ];
}

const denialOf = (name: string, rules: string[] = ["x"]) => [
  step("create", DENIAL, undefined, { __defaults: ["name"], name, parent: "p", rules }),
];

/** A service account of a type, a key of it, and the inputs of the key that come from the account. */
function keyOf(
  type: string,
  { op = "create", from = [type], ...more }: { op?: string; from?: string[]; keepers?: unknown } = {},
) {
  const key = "gcp:serviceaccount/key:Key";
  const inputs = { serviceAccountId: "04da6b54-80e4-46f7-96ec-b56ff0331ba9", ...more };
  const propertyDependencies = { serviceAccountId: from.map((each) => urnOf(each)) };
  const account = { accountId: "robot" };
  return [
    step(op, type, op === "create" ? undefined : account, account),
    {
      op: "create",
      urn: urnOf(key),
      newState: { urn: urnOf(key), type: key, custom: true, inputs, outputs: {}, propertyDependencies },
    },
  ];
}
const ACCOUNTS = [
  "gcp:serviceaccount/account:Account",
  "google:index/serviceAccount:ServiceAccount",
  "google-native:iam/v1:ServiceAccount",
];

test.each(ACCOUNTS)("the digest of a key of a new account is the same in each preview: %s", (type) => {
  const digests = digestsIn(...keyOf(type));
  expect(digests).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  expect(digestsIn(...keyOf(type))).toEqual(digests);
  expect(digestsIn(...keyOf(type, { keepers: { of: "may" } }))).not.toEqual(digests);
  const others = ACCOUNTS.filter((each) => each !== type);
  for (const other of others) expect(digestsIn(...keyOf(other))).not.toEqual(digests);
  // Another account may come out.
  expect(digestsIn(...keyOf(type, { from: [type, "random:index/randomPet:RandomPet"] }))).toEqual([null]);
  expect(digestsIn(...keyOf(type, { op: "same" }))).toEqual([null]);
  const [, key] = keyOf(type);
  const adopts = step("create", type, undefined, { accountId: "robot", createIgnoreAlreadyExists: true });
  expect(digestsIn(adopts, key ?? {})).toEqual([null]);
});

test.each<[string, object[], object[]]>([
  ["a resource has a name that each preview makes up", denialOf("it-1111111"), denialOf("it-2222222")],
  ["it is on a resource with such a name", listOf("it-1111111", "it-1111111"), listOf("it-2222222", "it-2222222")],
  ["such a name is a part of a value", listOf("it-1", "b/it-1/x"), listOf("it-2", "b/it-2/x")],
  [
    "the plan has the inputs in another order",
    [step("create", POLICY, undefined, { spec: { a: 1, b: 2 }, name: "n" })],
    [step("create", POLICY, undefined, { name: "n", spec: { b: 2, a: 1 } })],
  ],
])("the digest is the same in each preview of a program where %s", (_what, first, second) => {
  const digests = digestsIn(...first);
  expect(digests).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  expect(digestsIn(...second)).toEqual(digests);
});

const drift = (live: boolean) => {
  const inputs = { name: "web", invokerIamDisabled: false };
  const { oldState, ...rest } = step("update", SERVICE, inputs, inputs, { diffReasons: ["invokerIamDisabled"] });
  return [{ ...rest, oldState: { ...oldState, outputs: { invokerIamDisabled: live } } }];
};

test.each<[string, object[], object[]]>([
  ["another value is beside such a name", denialOf("it-1111111"), denialOf("it-2222222", ["y"])],
  ["a text around such a name is another", listOf("it-1", "b/it-1/x"), listOf("it-2", "b/it-2/y")],
  [
    "the values change places",
    [step("update", SERVICE, { invokerIamDisabled: true }, {})],
    [step("update", SERVICE, {}, { invokerIamDisabled: true })],
  ],
  ["another change outside is taken back", drift(true), drift(false)],
  [
    "a type has two rows, and the second one decides",
    [step("update", "google-native:storage/v1:Bucket", { acl: [1] }, { acl: [2] })],
    [step("update", "google-native:storage/v1:Bucket", { acl: [1], iamConfiguration: { a: 1 } }, { acl: [2] })],
  ],
])("the digest is another one where %s", (_what, first, second) => {
  const [digest] = digestsIn(...first);
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(digestsIn(...second)).not.toContain(digest);
});

test.each<[string, object[]]>([
  ["hidden", [step("create", POLICY, undefined, { name: "n", spec: "[secret]" })]],
  ["a secret in plain text", [step("create", POLICY, undefined, { name: "n", spec: shownSecret("short") })]],
  ["a secret in plain text before", [step("update", POLICY, { name: shownSecret("short") }, { name: "n" })]],
  ["a secret in plain text beside the account", keyOf(ACCOUNTS[0] ?? "", { keepers: shownSecret("short") })],
  ["known after the update", listOf("it-1", "04da6b54-80e4-46f7-96ec-b56ff0331ba9")],
])("there is no digest of a value that is %s", (_what, steps) => {
  expect(digestsIn(...steps)).toEqual([null]);
});
