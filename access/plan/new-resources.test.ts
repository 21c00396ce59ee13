import { foreignStepsOf, planOf } from "../../tests/support/foreign-plans";
import { foreignResources } from "./foreign-steps";
import { NewResources } from "./new-resources";
import { grantStepOf, stepsOf } from "./steps";

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const OWN = "perimeter:iam/v1:ResourceIamMember";
const OWN_BINDING = "perimeter:iam/v1:ResourceIamBinding";
const STORE = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember";
const [TOPIC, MEMBER, BINDING] = [
  "gcp:pubsub/topic:Topic",
  "gcp:pubsub/topicIAMMember:TopicIAMMember",
  "gcp:projects/iAMBinding:IAMBinding",
];

/** A plan with these resources, and a grant whose inputs come from some of them. */
function isOnNew(type: string, from: Record<string, string[]>, others: readonly [string, string][]): boolean {
  const urn = (name: string, of: string) => `urn:pulumi:dev::shop::${of}::${name}`;
  const urns = new Map<string, string>();
  const steps = others.map(([op, named]) => {
    const [name = "", of = ""] = named.split(" ");
    urns.set(name, urn(name, of));
    const state = { urn: urn(name, of), type: of, custom: true, inputs: {}, outputs: {} };
    return { op, urn: state.urn, ...(op === "same" ? { oldState: state } : {}), newState: state };
  });
  const grant = {
    urn: urn("grant", type),
    type,
    custom: true,
    inputs: Object.fromEntries(Object.keys(from).map((name) => [name, UNKNOWN])),
    outputs: {},
    propertyDependencies: Object.fromEntries(
      Object.entries(from).map(([name, sources]) => [name, sources.map((each) => urns.get(each) ?? "")]),
    ),
  };
  const plan = planOf(...steps, { op: "create", urn: grant.urn, newState: grant });
  const step = plan.steps.find((each) => each.urn === grant.urn);
  const found = step && grantStepOf(step);
  if (!found) throw new Error(`${type} is no grant`);
  return new NewResources(stepsOf(plan)).have(found);
}

test.each<[string, string, Record<string, string[]>, [string, string][]]>([
  ["the topic of a grant of gcp", MEMBER, { topic: ["t"] }, [["create", `t ${TOPIC}`]]],
  ["the project that the topic is in", MEMBER, { project: ["p"] }, [["create", "p gcp:organizations/project:Project"]]],
  [
    "a topic whose name has a random part",
    MEMBER,
    { topic: ["t", "r"] },
    [
      ["create", `t ${TOPIC}`],
      ["create", "r random:index/pet:Pet"],
    ],
  ],
  ["the topic of a grant on any resource", OWN, { resource: ["t"] }, [["create", `t ${TOPIC}`]]],
  ["a topic of google-native", OWN, { resource: ["t"] }, [["create", "t google-native:pubsub/v1:Topic"]]],
  ["the dataset of a store", STORE, { name: ["d"] }, [["create", "d gcp:healthcare/dataset:Dataset"]]],
])("a plan creates %s", (_what, type, from, others) => {
  expect(isOnNew(type, from, others)).toBe(true);
});

test.each<[string, string, Record<string, string[]>, [string, string][]]>([
  ["the topic exists", MEMBER, { topic: ["t"] }, [["same", `t ${TOPIC}`]]],
  ["the topic is replaced", MEMBER, { topic: ["t"] }, [["create-replacement", `t ${TOPIC}`]]],
  [
    "a part of the name is of a resource that exists",
    MEMBER,
    { topic: ["t", "o"] },
    [
      ["create", `t ${TOPIC}`],
      ["same", `o ${TOPIC}`],
    ],
  ],
  ["the project of a new topic has the grant", BINDING, { project: ["t"] }, [["create", `t ${TOPIC}`]]],
  ["a new topic only says the project of another one", MEMBER, { project: ["t"] }, [["create", `t ${TOPIC}`]]],
  ["a new service only says the project", BINDING, { project: ["s"] }, [["create", "s gcp:projects/service:Service"]]],
  ["the name is random", MEMBER, { topic: ["r"] }, [["create", "r random:index/pet:Pet"]]],
  ["the name comes from no resource", MEMBER, { topic: [] }, []],
  [
    "a binding could be on another topic of the same project",
    OWN_BINDING,
    { resource: ["t"] },
    [["create", `t ${TOPIC}`]],
  ],
  ["a store is not in a topic", STORE, { name: ["t"] }, [["create", `t ${TOPIC}`]]],
])("the resource may exist: %s", (_what, type, from, others) => {
  expect(isOnNew(type, from, others)).toBe(false);
});

describe("the resource of a grant need not exist yet", () => {
  const LIST = "gcp:pubsub/topicIAMBinding:TopicIAMBinding";

  /** A plan with a grant on a topic that the program names by itself, after a step on something else. */
  function mayBeNew(grantOp: string, op: string, type: string, isAfter = true): boolean {
    const urn = (name: string, of: string) => `urn:pulumi:dev::shop::${of}::${name}`;
    const other = { urn: urn("t", type), type, custom: true, inputs: {}, outputs: {} };
    const grant = {
      urn: urn("grant", LIST),
      type: LIST,
      custom: true,
      inputs: { topic: "orders" },
      outputs: {},
      dependencies: isAfter ? [other.urn] : [],
    };
    const plan = planOf({ op, urn: other.urn, newState: other }, { op: grantOp, urn: grant.urn, newState: grant });
    const [, step] = plan.steps;
    const found = step && grantStepOf(step);
    if (!found) throw new Error("no grant");
    return new NewResources(stepsOf(plan)).mayHave(found);
  }

  test.each<[string, Parameters<typeof mayBeNew>, boolean]>([
    ["if it depends on a topic that is created", ["create", "create", TOPIC], true],
    ["if it depends on the project that is created", ["create", "create", "gcp:organizations/project:Project"], true],
    ["if it moves to the replacement of a topic", ["replace", "replace", TOPIC], true],
    ["unless the topic stays", ["create", "same", TOPIC], false],
    ["unless it depends on something else", ["create", "create", "gcp:storage/bucket:Bucket"], false],
    ["unless it does not depend on the topic", ["create", "create", TOPIC, false], false],
    ["unless it stays itself", ["same", "create", TOPIC], false],
  ])("%s", (_when, steps, expected) => {
    expect(mayBeNew(...steps)).toBe(expected);
  });
});

test("a resource is not new if its create may find it there already", () => {
  const urn = "urn:pulumi:dev::shop::gcp:serviceaccount/account:Account::robot";
  const account = (inputs: object) => {
    const state = { urn, type: "gcp:serviceaccount/account:Account", custom: true, inputs, outputs: {} };
    const member = {
      urn: "urn:pulumi:dev::shop::gcp:serviceaccount/iAMMember:IAMMember::grant",
      type: "gcp:serviceaccount/iAMMember:IAMMember",
      custom: true,
      inputs: { serviceAccountId: UNKNOWN, role: "r", member: "user:ada@example.com" },
      outputs: {},
      propertyDependencies: { serviceAccountId: [urn] },
    };
    const plan = planOf({ op: "create", urn, newState: state }, { op: "create", urn: member.urn, newState: member });
    const found = plan.steps[1] && grantStepOf(plan.steps[1]);
    return found && new NewResources(stepsOf(plan)).have(found);
  };
  expect([account({}), account({ createIgnoreAlreadyExists: true })]).toEqual([true, false]);
});

describe("a grant on a new resource", () => {
  const ACCOUNT = "gcp:serviceaccount/account:Account";
  const SECRET = "gcp:secretmanager/secret:Secret";
  const urn = (type: string) => `urn:pulumi:dev::shop::${type}::it`;
  const made = (type: string, inputs: object = {}, more: object = {}) => {
    const state = { urn: urn(type), type, custom: true, inputs, outputs: {}, ...more };
    return { op: "create", urn: state.urn, newState: state };
  };
  const grant = (type: string, name: string, of: string, members: object, from: string[] = [ACCOUNT]) => {
    const propertyDependencies = {
      [name]: [urn(of)],
      ...Object.fromEntries(Object.keys(members).map((each) => [each, from.map(urn)])),
    };
    return made(type, { [name]: UNKNOWN, role: "roles/r", ...members }, { propertyDependencies });
  };
  const shown = (...steps: object[]) => {
    const all = foreignResources(foreignStepsOf(planOf(...steps)));
    return all.flatMap(({ changes, unknown }) => [
      ...changes.map(({ change, principal, role }) => `${change} ${principal} ${role}`),
      ...unknown.map(({ message }) => message),
    ]);
  };
  const GAINED = "gained [known after the update] roles/r";

  test.each<[string, object[]]>([
    [
      "a new account is a member of itself",
      [
        made(ACCOUNT),
        grant("gcp:serviceaccount/iAMMember:IAMMember", "serviceAccountId", ACCOUNT, { member: UNKNOWN }),
      ],
    ],
    [
      "a new account has a new secret",
      [
        made(ACCOUNT),
        made(SECRET),
        grant("gcp:secretmanager/secretIamMember:SecretIamMember", "secretId", SECRET, { member: UNKNOWN }),
      ],
    ],
    [
      "a binding of a new secret names a new account",
      [
        made(ACCOUNT),
        made(SECRET),
        grant("gcp:secretmanager/secretIamBinding:SecretIamBinding", "secretId", SECRET, { members: [UNKNOWN] }),
      ],
    ],
    [
      "a grant of this provider names a new account on a new secret",
      [made(ACCOUNT), made(SECRET), grant(OWN, "resource", SECRET, { member: UNKNOWN })],
    ],
  ])("says all that it does if %s", (_what, steps) => {
    expect(shown(...steps)).toEqual([GAINED]);
  });

  const BOUND = "gcp:secretmanager/secretIamBinding:SecretIamBinding";
  test.each<[string, object[]]>([
    [
      "the account may be there already",
      [
        made(ACCOUNT, { createIgnoreAlreadyExists: true }),
        made(SECRET),
        grant(BOUND, "secretId", SECRET, { members: [UNKNOWN] }),
      ],
    ],
    [
      "the member comes from another resource, too",
      [
        made(ACCOUNT),
        made(SECRET),
        made("random:index/pet:Pet"),
        grant(BOUND, "secretId", SECRET, { members: [UNKNOWN] }, [ACCOUNT, "random:index/pet:Pet"]),
      ],
    ],
    ["the member comes from nowhere", [made(SECRET), grant(BOUND, "secretId", SECRET, { members: [UNKNOWN] }, [])]],
    [
      "the member is secret",
      [made(ACCOUNT), made(SECRET), grant(BOUND, "secretId", SECRET, { members: ["[secret]"] })],
    ],
    [
      "the role is not known",
      [made(ACCOUNT), made(SECRET), grant(BOUND, "secretId", SECRET, { members: [UNKNOWN], role: UNKNOWN })],
    ],
  ])("is doubted if %s, and takes nothing from others", (_what, steps) => {
    const all = shown(...steps);
    expect(all).toHaveLength(2);
    expect(all[1]).toMatch(/^It is unknown who gains .* which this review does not evaluate\.$/);
  });

  test("is doubted with what a binding takes if the secret may be there already", () => {
    const all = shown(
      made(ACCOUNT),
      made(SECRET, { createIgnoreAlreadyExists: true }),
      grant(BOUND, "secretId", SECRET, { members: [UNKNOWN] }),
    );
    expect(all[1]).toMatch(/Everybody else who has its role loses it\.$/);
  });
});
