import { byEffect, onlyStack } from "../../tests/support/answers";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { startEmulator, type Emulator } from "../../emulator";
import type { Answer } from "../result/result";
import { pulumiAnswering } from "../../tests/support/fake-pulumi";
import { review } from "../review";
import { accessOfStack, readStackAccess } from "../access";

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const TOPIC = "projects/acme/topics/orders-1a2b3c4";
const FULL = `//pubsub.googleapis.com/${TOPIC}`;
const MEMBER = "user:eve@example.com";
const ROLE = "roles/pubsub.viewer";

let emulator: Emulator;
let folder: string;
beforeEach(async () => {
  emulator = await startEmulator({ seed: [] });
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-stack-access-"));
});
afterEach(async () => {
  fs.rmSync(folder, { recursive: true });
  await emulator.stop();
});

interface Declared {
  type: string;
  name: string;
  id?: string;
  inputs?: Record<string, unknown>;
  /** The names of the resources that an input comes from. */
  from?: Record<string, string[]>;
  delete?: boolean;
}

const TYPES: Record<string, string> = {
  topic: "gcp:pubsub/topic:Topic",
  other: "gcp:pubsub/topic:Topic",
};
const urnOf = (type: string, name: string) => `urn:pulumi:dev::shop::${type}::${name}`;

/** The program ran, because the stack has no outputs yet. A plan of deletes alone could be of a destroy. */
const STACK = { urn: urnOf("pulumi:pulumi:Stack", "shop-dev"), type: "pulumi:pulumi:Stack", custom: false };

/** A resource as the engine prints it in plans and states. */
function printed({ type, name, id, inputs = {}, from = {}, ...more }: Declared) {
  const propertyDependencies = Object.fromEntries(
    Object.entries(from).map(([input, names]) => [input, names.map((each) => urnOf(TYPES[each] ?? "", each))]),
  );
  return { urn: urnOf(type, name), type, custom: true, ...(id && { id }), inputs, propertyDependencies, ...more };
}

const configuration = () => ({ "gcp:project": "acme", emulatorHost: emulator.env.PERIMETER_EMULATOR_HOST });

function reviewed(steps: Array<{ op: string; old?: Declared; new?: Declared }>, approved?: Answer) {
  const plan = {
    config: { "gcp:project": "acme" },
    steps: [
      { op: "same", urn: STACK.urn, oldState: { ...STACK, outputs: { a: 1 } }, newState: STACK },
      ...steps.map(({ op, old, new: next }) => ({
        op,
        urn: urnOf((next ?? old)?.type ?? "", (next ?? old)?.name ?? ""),
        ...(old && { oldState: printed(old) }),
        ...(next && { newState: printed(next) }),
      })),
    ],
    changeSummary: {},
  };
  return review({
    plan: JSON.stringify(plan),
    state: JSON.stringify({ deployment: { resources: steps.flatMap(({ old }) => (old ? printed(old) : [])) } }),
    configuration: configuration(),
    environment: emulator.env,
    all: true,
    ...(approved && { rules: { approved } }),
  });
}

function stackOf(resources: Declared[]) {
  const stack = { deployment: { resources: resources.map((each) => printed(each)) } };
  const pulumi = pulumiAnswering(folder, { stack, config: { "gcp:project": { value: "acme" } } });
  return { stack: "dev", pulumi, environment: emulator.env, inherited: false };
}

const grantedOn = (name: string, members: string[], service = "pubsub") =>
  emulator.seed([{ service, name, policy: { bindings: [{ role: ROLE, members }] } }]);

/** A grant on a topic that the plan creates, before and after the update, for each front. */
const NEW: Array<[string, Declared]> = [
  [
    "a member of @pulumi/gcp",
    {
      type: "gcp:pubsub/topicIAMMember:TopicIAMMember",
      name: "g",
      id: `${TOPIC}/${ROLE}/${MEMBER}`,
      inputs: { topic: "orders-1a2b3c4", role: ROLE, member: MEMBER },
      from: { topic: ["topic"] },
    },
  ],
  [
    "a binding of @pulumi/gcp",
    {
      type: "gcp:pubsub/topicIAMBinding:TopicIAMBinding",
      name: "g",
      id: `${TOPIC}/${ROLE}`,
      inputs: { topic: "orders-1a2b3c4", role: ROLE, members: [MEMBER] },
      from: { topic: ["topic"] },
    },
  ],
  [
    "a policy of @pulumi/gcp",
    {
      type: "gcp:pubsub/topicIAMPolicy:TopicIAMPolicy",
      name: "g",
      id: TOPIC,
      inputs: { topic: TOPIC, policyData: JSON.stringify({ bindings: [{ role: ROLE, members: [MEMBER] }] }) },
      from: { topic: ["topic"] },
    },
  ],
  [
    "a member of this provider",
    {
      type: "perimeter:iam/v1:ResourceIamMember",
      name: "g",
      id: `${FULL}/${ROLE}/${MEMBER}`,
      inputs: { resource: FULL, role: ROLE, member: MEMBER },
      from: { resource: ["topic"] },
    },
  ],
];
const topic = (name: string, id?: string): Declared => ({ type: TYPES[name] ?? "", name, ...(id && { id }) });

/** The grant as a preview shows it, on one of two new topics. */
function previewed({ id: _, ...grant }: Declared, on = "topic"): Declared {
  const [input = ""] = Object.keys(grant.from ?? {});
  return { ...grant, inputs: { ...grant.inputs, [input]: UNKNOWN }, from: { [input]: [on] } };
}

describe.each(NEW)("%s on a resource whose name is known after the update", (_front, grant) => {
  const created = [topic("topic"), topic("other")].map((each) => ({ op: "create", new: each }));
  const plan = (on?: string) => reviewed([...created, { op: "create", new: previewed(grant, on) }]);

  test("is the same in the approved review, unless another resource gets it", async () => {
    const approved = await plan();
    const again = onlyStack(await reviewed([...created, { op: "create", new: previewed(grant) }], approved));
    expect([again.verdict.exitCode, again.unknown]).toEqual([0, []]);
    const moved = await reviewed([...created, { op: "create", new: previewed(grant, "other") }], approved);
    expect(moved.exitCode).toBe(2);
  });

  test("is compared with the access after the update, by the step", async () => {
    const expected = await plan();
    const state = [topic("topic", TOPIC), topic("other", `${TOPIC}-2`)];
    grantedOn(TOPIC, [MEMBER]);
    const now = onlyStack(await accessOfStack({ ...stackOf([...state, grant]), expected }));
    expect([now.verdict.exitCode, byEffect(now.verdict).violations]).toEqual([0, []]);
    expect(now.notes).toContain("The access is as the review expected");

    const never = onlyStack(await accessOfStack({ ...stackOf(state), expected }));
    expect(never.verdict.exitCode).toBe(2);
    expect(byEffect(never.verdict).violations[0]?.message).toMatch(
      /eve@\S+ does not have \S+ on .*, and the review expected it/,
    );

    const moved = { ...grant, from: { [Object.keys(grant.from ?? {})[0] ?? ""]: ["other"] } };
    expect(onlyStack(await accessOfStack({ ...stackOf([...state, moved]), expected })).verdict.exitCode).toBe(2);

    grantedOn(TOPIC, [MEMBER, "user:mallory@example.com"]);
    const more = onlyStack(await accessOfStack({ ...stackOf([...state, grant]), expected }));
    expect(byEffect(more.verdict).violations.map(({ principal }) => principal)).toEqual(["user:mallory@example.com"]);
  });
});

describe("an entry of an access list", () => {
  const entry: Declared = {
    type: "gcp:storage/bucketAccessControl:BucketAccessControl",
    name: "entry",
    id: "reports/user-eve@example.com",
    inputs: { bucket: "reports", entity: "user-eve@example.com", role: "READER" },
  };
  const { id: _, ...wanted } = entry;

  test.each([
    ["came", { op: "create", new: wanted }, [entry], 0],
    ["never came", { op: "create", new: wanted }, [], 2],
    [
      "came for another role",
      { op: "create", new: wanted },
      [{ ...entry, inputs: { ...entry.inputs, role: "OWNER" } }],
      2,
    ],
    ["went", { op: "delete", old: entry }, [], 0],
    ["stays", { op: "delete", old: entry }, [entry], 2],
    ["waits for its delete", { op: "delete", old: entry }, [{ ...entry, delete: true }], 2],
  ])("that %s is compared with the state", async (_what, step, state, exitCode) => {
    const expected = await reviewed([step]);
    const now = onlyStack(await accessOfStack({ ...stackOf(state), expected }));
    expect(now.verdict.exitCode).toBe(exitCode);
    expect(now.notes.includes("The access is as the review expected")).toBe(exitCode === 0);
    if (exitCode === 0) expect(now.notes.join()).toContain("carried out by the stack's state alone");
  });
});

test.each([
  ["gcp:storage/bucketAccessControl:BucketAccessControl", { bucket: "reports", entity: "allUsers", role: "READER" }],
  ["gcp:storage/bucketACL:BucketACL", { bucket: "reports", roleEntities: ["READER:allUsers"] }],
  ["gcp:bigquery/dataset:Dataset", { datasetId: "d", accesses: [{ role: "READER", iamMember: MEMBER }] }],
  ["gcp:newservice/thingIamMember:ThingIamMember", { thing: "x", role: ROLE, member: MEMBER }],
  ["google-native:storage/v1:BucketAccessControl", { bucket: "reports", entity: "allUsers", role: "READER" }],
  ["google-native:apigee/v1:EnvironmentIamMember", { name: "x", role: ROLE, member: MEMBER }],
  ["google:index/pubsubTopicIamMember:PubsubTopicIamMember", { topic: "orders", role: ROLE, member: MEMBER }],
])("a grant that is not followed is named beside those that are: %s", async (type, inputs) => {
  grantedOn(TOPIC, [MEMBER]);
  const [, followed] = NEW[0] ?? [];
  const unfollowed = { type, name: "list", id: "x", inputs };
  const options = stackOf([...(followed ? [followed] : []), unfollowed]);
  const now = onlyStack(await accessOfStack(options));
  expect(now.unknown.map(({ message }) => message)).toEqual([
    `It is unknown who has access by list (${type}): this command does not read what it grants`,
  ]);
  expect(now.verdict.exitCode).toBe(3);
  const allowed = onlyStack(
    await accessOfStack({ ...options, rules: { policy: { version: 1, otherProviders: "allow" } } }),
  );
  expect(allowed.verdict.exitCode).toBe(0);
});

test.each(NEW)("%s that waits for its delete is read, is not unmanaged, and is not adopted", async (_front, grant) => {
  grantedOn(TOPIC, [MEMBER, "user:mallory@example.com"]);
  const { result, adoption } = await readStackAccess(stackOf([{ ...grant, delete: true }]));
  expect(onlyStack(result).resources.map(({ unmanaged }) => unmanaged.map(({ principal }) => principal))).toEqual([
    ["user:mallory@example.com"],
  ]);
  expect(onlyStack(result).notes.join()).toMatch(
    /1 grant of the stack waits for its delete, which an update left to the next one: g on /,
  );
  expect(JSON.stringify(adoption)).not.toContain(MEMBER);
  const takesAll = /Binding|Policy/.test(grant.type);
  expect(adoption.file.resources).toHaveLength(takesAll ? 0 : 1);
  expect(adoption.leftOut).toEqual(takesAll ? [expect.stringContaining("is to delete it") as string] : []);
});
