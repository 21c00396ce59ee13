/** Members that the API stores under another name: the policy has the primary address of an identity. */
import type { Values } from "../../../provider/core/unknown";
import type { Policy } from "../../../provider/iam/policy";
import { ADMIN_ROLE, FOREIGN, grantOn, listener, OPTIONS, ROLE, storeName } from "../../support/grants";
import { FakeClock } from "../../../provider/testing/clock";
import { STORE_BINDING, STORE_GRANT } from "../../support/tokens";
import { ADA, CONDITION, GRACE, start, text, useClouds, cloud } from "./scene";

useClouds();

const ALIAS = "user:alias@example.com";
const aliases = { "alias@example.com": "ada@example.com", "old@example.com": "grace@example.com" };
const OLD = "user:old@example.com";

const binding = (members: string[], more: Values = {}) => ({ name: storeName(), role: ROLE, members, ...more });
/** The error of a change, with what the state keeps of it. */
async function failed(change: Promise<unknown>): Promise<{ message: string; id?: string; properties?: Values }> {
  const error = await change.then(
    () => new Error("it succeeded"),
    (thrown: Error) => thrown,
  );
  return error;
}

const created = (type: string, inputs: Values, settings: Values) =>
  failed(cloud.provider(settings).create(type, inputs, OPTIONS));

describe.each(["merge", "replace"])("in the mode %s", (grantMode) => {
  test.each<[what: string, type: string, inputs: Values, kept: Values]>([
    ["a grant", STORE_GRANT, grantOn(0, ALIAS), { member: ADA }],
    ["a grant with a condition", STORE_GRANT, grantOn(0, ALIAS, { condition: CONDITION }), { member: ADA }],
    ["a binding", STORE_BINDING, binding([GRACE, ALIAS]), { members: [GRACE, ADA] }],
    ["a binding with several", STORE_BINDING, binding([ALIAS, OLD]), { members: [ADA, GRACE] }],
  ])("%s fails with the stored name, the state has it, and a delete removes it", async (_what, type, inputs, kept) => {
    await start({ memberAliases: aliases });
    const {
      message,
      id = "",
      properties: state = {},
    } = await created(type, inputs, { grantMode, waitForPropagation: true });
    expect(message).toContain(`stored ${ADA}`);
    expect(message).toContain(`in place of ${ALIAS}`);
    expect(message).toMatch(new RegExp(`declare ${ADA}`));
    expect(state).toMatchObject(kept);
    await cloud.provider({ grantMode }).delete(type, { id, state }, OPTIONS);
    expect(cloud.members()).toEqual([]);
  });

  test("the stored name in the program needs no further change", async () => {
    await start({ memberAliases: aliases });
    const { id = "", properties: state = {} } = await created(STORE_GRANT, grantOn(0, ALIAS), { grantMode });
    const provider = cloud.provider({ grantMode });
    const { diff } = provider.compare(STORE_GRANT, { id, state }, grantOn(0, ADA));
    expect(diff.action).toBe("none");
  });
});

test.each([
  ["one name", [ALIAS]],
  ["two names in one write", [ALIAS, OLD]],
])(
  "%s of members that have the role already: each fails, no state has it, and the members keep the role",
  async (_what, names) => {
    await start({ memberAliases: aliases, policy: { bindings: [{ role: ROLE, members: [ADA, GRACE] }] } });
    const provider = cloud.merging();
    const all = await Promise.all(names.map((each) => failed(provider.create(STORE_GRANT, grantOn(0, each), OPTIONS))));
    for (const [at, { message, properties }] of all.entries()) {
      expect(message).toContain(
        `The API accepted ${names[at]} on ${storeName()}, and the policy that it stored does not have it`,
      );
      expect(properties).toBeUndefined();
    }
    expect(cloud.members()).toEqual([ADA, GRACE]);
  },
);

test("grants of one write that are stored under other names fail with their own ones, beside others that succeed", async () => {
  await start({ memberAliases: aliases, policy: FOREIGN });
  const provider = cloud.merging();
  const create = (member: string, role = ROLE) =>
    provider.create(STORE_GRANT, { ...grantOn(0, member), role }, OPTIONS);
  const [alias, old, other, third] = await Promise.all([
    failed(create(ALIAS)),
    failed(create(OLD)),
    create("user:other@example.com"),
    failed(create(ALIAS, ADMIN_ROLE)),
  ]);
  expect([alias.properties, old.properties, third.properties]).toEqual([
    expect.objectContaining({ member: ADA }),
    expect.objectContaining({ member: GRACE }),
    expect.objectContaining({ member: ADA, role: ADMIN_ROLE }),
  ]);
  expect(other.state).toMatchObject({ member: "user:other@example.com" });
  for (const state of [alias.properties, old.properties, other.state, third.properties]) {
    await provider.delete(STORE_GRANT, { id: "x", state: state ?? {} }, OPTIONS);
  }
  expect(text(cloud.policy())).toBe(text(FOREIGN));
});

describe("a name that may be somebody else's", () => {
  const others = ["group:nurses@example.com", "user:old@example.com"];
  const renamed = {
    ...aliases,
    "nurses@example.com": "nurses-new@example.com",
    "second@example.com": "two@example.com",
  };
  const foreign = { bindings: [{ role: ROLE, members: others }] };
  const SECOND = "user:second@example.com";

  /** Creates the grants in one write, and deletes what the state has of each. */
  async function createAndDelete(
    members: string[],
    connectors: Parameters<typeof cloud.merging>[1] = {},
    created: () => void = () => {},
  ) {
    const provider = cloud.merging({}, connectors);
    const all = await Promise.all(
      members.map((each) => failed(provider.create(STORE_GRANT, grantOn(0, each), OPTIONS))),
    );
    created();
    cloud.emulator.setFaults([]);
    const stored = all.map(({ properties }) => properties?.member);
    const made = cloud.members().length;
    const said: string[] = [];
    const reporter = { ...listener().reporter, warning: (text: string) => void said.push(text) };
    for (const { id = "", properties } of all) {
      if (properties) await provider.delete(STORE_GRANT, { id, state: properties }, { ...OPTIONS, reporter });
    }
    return { stored, said, made };
  }

  test.each([
    ["one grant", [ALIAS], [ADA]],
    ["two grants", [ALIAS, SECOND], [ADA, "user:two@example.com"]],
  ])("of %s is never taken from others, whose names change in the same write", async (_what, members, wanted) => {
    await start({ memberAliases: renamed, policy: foreign });
    const { stored } = await createAndDelete(members);
    expect(stored).toEqual(wanted);
    expect(cloud.members()).toEqual(["group:nurses-new@example.com", GRACE]);
  });

  test.each<[string, { status: number | string; reset?: string }]>([
    ["is refused", { status: "PERMISSION_DENIED" }],
    ["meets a limit", { status: "RESOURCE_EXHAUSTED" }],
  ])("is in a state, or not in the policy, when a later write %s", async (_what, fault) => {
    for (const skipped of [1, 2, 3]) {
      await start({ memberAliases: renamed });
      const clock = FakeClock.waiting();
      let writes = 0;
      let isCreating = true;
      const send: typeof cloud.send = (request) => {
        if (request.method === "POST" && isCreating && ++writes > skipped)
          cloud.emulator.setFaults([{ match: { path: "**:setIamPolicy" }, times: 0, fault }]);
        return cloud.send(request);
      };
      const { stored, said, made } = await clock.until(
        createAndDelete([ALIAS, SECOND], { clock, send: clock.timeless(send) }, () => (isCreating = false)),
      );
      // What is in the policy is in a state, which removes it or says that it does not find it.
      const kept = stored.filter((each) => each !== undefined).length;
      expect([skipped, kept >= made, cloud.members().length]).toEqual([skipped, true, said.length]);
    }
  });

  test("of a write whose answer was lost is left to the user, with a state that says so", async () => {
    const clock = FakeClock.waiting();
    await start({
      memberAliases: aliases,
      faults: [{ match: { path: "**:setIamPolicy" }, times: 1, fault: { reset: "after" } }],
    });
    const { stored, said } = await clock.until(createAndDelete([ALIAS], { clock, send: clock.timeless(cloud.send) }));
    expect(stored).toEqual([ALIAS]);
    expect(said).toEqual([expect.stringContaining("One other member of this kind has the role there")]);
    expect(cloud.members()).toEqual([ADA]);
  });

  test("of two grants is left to the user when somebody else writes before they are made again", async () => {
    await start({ memberAliases: aliases });
    let writes = 0;
    const send: typeof cloud.send = async (request) => {
      const answer = await cloud.send(request);
      if (request.method === "POST" && ++writes === 1) cloud.setPolicy({ ...cloud.policy(), etag: undefined });
      return answer;
    };
    const { stored, said } = await createAndDelete([ALIAS, OLD], { send });
    expect(stored).toEqual([ALIAS, OLD]);
    expect(said).toHaveLength(2);
    expect([...cloud.members()].sort()).toEqual([ADA, GRACE]);
  });
});

test("a member that appears beside the stored one is nobody's of this stack", async () => {
  await start({ memberAliases: aliases });
  const send: typeof cloud.send = async (request) => {
    const answer = await cloud.send(request);
    if (request.method !== "POST") return answer;
    const policy = JSON.parse(answer.body) as Policy;
    const bindings = policy.bindings?.map((each) => ({
      ...each,
      members: [...(each.members ?? []), "user:x@example.com"],
    }));
    return { ...answer, body: JSON.stringify({ ...policy, bindings }) };
  };
  const { properties } = await failed(cloud.merging({}, { send }).create(STORE_GRANT, grantOn(0, ALIAS), OPTIONS));
  expect(properties).toMatchObject({ member: ALIAS });
});

test("a binding keeps its members when another change of the write is made alone and fails", async () => {
  await start({ memberAliases: aliases, policy: { bindings: [{ role: ROLE, members: [ADA, "user:x@example.com"] }] } });
  const provider = cloud.merging();
  const prior = { id: "x", state: { ...binding([ADA, "user:x@example.com"]), etag: "e" } };
  const [updated, created] = await Promise.all([
    failed(provider.update(STORE_BINDING, prior, binding([ALIAS, "user:x@example.com"]), OPTIONS)),
    failed(provider.create(STORE_GRANT, grantOn(0, OLD, { role: ADMIN_ROLE }), OPTIONS)),
  ]);
  expect(updated.properties).toMatchObject({ members: expect.arrayContaining([ADA, "user:x@example.com"]) });
  expect(created.properties).toMatchObject({ member: GRACE });
  expect(cloud.members()).toEqual(expect.arrayContaining([ADA, "user:x@example.com"]));
});

/** Other answers to a write than the stored policy as it was sent. The write was made, so it is not an error. */
test.each<[string, (policy: Policy) => Policy]>([
  ["no bindings", ({ etag }) => ({ etag })],
  [
    "no conditions",
    (policy) => ({ ...policy, bindings: policy.bindings?.map(({ role, members }) => ({ role, members })) }),
  ],
  [
    "another spelling of a condition",
    (policy) => JSON.parse(JSON.stringify(policy).replace('"true"', '" true "')) as Policy,
  ],
  [
    "the project of a role by its number",
    (policy) => JSON.parse(JSON.stringify(policy).replace("roles/mine", "roles/other")) as Policy,
  ],
])("an answer with %s makes no grant fail", async (_what, change) => {
  await start({ anyRole: true });
  const provider = cloud.merging(
    {},
    {
      send: async (request) => {
        const answer = await cloud.send(request);
        return request.method === "POST"
          ? { ...answer, body: JSON.stringify(change(JSON.parse(answer.body) as Policy)) }
          : answer;
      },
    },
  );
  const grant = grantOn(0, ADA, { role: "projects/demo-project/roles/mine", condition: CONDITION });
  await expect(provider.create(STORE_GRANT, grant, OPTIONS)).resolves.toMatchObject({ state: { member: ADA } });
});

test("a secret member and its stored name are not in the message", async () => {
  await start({ memberAliases: aliases });
  const options = { ...OPTIONS, secret: ["member"] };
  const { message, properties } = await failed(cloud.merging().create(STORE_GRANT, grantOn(0, ALIAS), options));
  expect(message).toContain("in place of a secret member");
  expect(message).not.toMatch(/ada|alias/);
  expect(properties).toMatchObject({ member: ADA });
});

test("an API that shows no conditions makes no grant with a condition fail", async () => {
  await start({ conditionalReads: "renamed" });
  await cloud.merging().create(STORE_GRANT, grantOn(0, ADA, { condition: CONDITION }), OPTIONS);
  expect(cloud.members()).toEqual([ADA]);
});

describe("a grant of a state that the policy has under another name", () => {
  const policy: Policy = { bindings: [{ role: ROLE, members: [ADA, "group:g@example.com"] }] };
  const prior = (inputs: Values) => ({ id: "x", state: { ...inputs, etag: "e" } });

  const whose = [
    "One other member of this kind has the role there: if one is the same identity under its primary name, it keeps the role " +
      "(perimeter access shows the policy)",
  ];
  const missing = `the access policy of ${storeName()} does not have`;

  test.each<[string, string, Values, string[]]>([
    ["grant", STORE_GRANT, grantOn(0, ALIAS), [`  ${ALIAS} ${ROLE}.`]],
    ["binding", STORE_BINDING, binding([ALIAS, OLD]), [`  ${ALIAS} ${ROLE},`, `  ${OLD} ${ROLE}.`]],
  ])("a delete of a %s says that it is missing, and whose it may be", async (noun, type, inputs, lines) => {
    await start({ policy });
    const { reporter, said } = listener();
    await cloud.merging().delete(type, prior(inputs), { ...OPTIONS, reporter });
    const first = `warning: This delete of a ${noun} removes nothing: ${missing}`;
    expect(said[0]?.split("\n")).toEqual([first, ...lines, ...whose]);
    expect(cloud.members()).toEqual(policy.bindings?.[0]?.members);
  });

  test("a refresh that drops a grant says that it is missing, and whose it may be", async () => {
    await start({ policy });
    const { reporter, said } = listener();
    const options = { ...OPTIONS, reporter };
    expect(await cloud.merging().read(STORE_GRANT, "x", prior(grantOn(0, ALIAS)), options)).toBeUndefined();
    const first = `warning: The refresh drops this grant from the state: ${missing}`;
    expect(said.map((each) => each.split("\n"))).toEqual([[first, `  ${ALIAS} ${ROLE}.`, ...whose]]);
  });

  test("a delete of a binding names only the members that are missing", async () => {
    await start({ policy });
    const { reporter, said } = listener();
    await cloud.merging().delete(STORE_BINDING, prior(binding([ADA, OLD])), { ...OPTIONS, reporter });
    expect(said[0]).toContain("does not find all of its members");
    expect(said[0]).toContain(`\n  ${OLD} ${ROLE}`);
    expect(said[0]).not.toContain(ADA);
  });

  test("a delete whose answer was lost does not say that the grant was missing", async () => {
    const clock = FakeClock.waiting();
    await start({ policy, faults: [{ match: { path: "**:setIamPolicy" }, times: 1, fault: { reset: "after" } }] });
    const { reporter, said } = listener();
    const provider = cloud.merging({}, { clock, send: clock.timeless(cloud.send) });
    await clock.until(provider.delete(STORE_GRANT, prior(grantOn(0, ADA)), { ...OPTIONS, reporter }));
    expect(said).toEqual([]);
    expect(cloud.members()).toEqual(["group:g@example.com"]);
  });

  test("nothing is said of a grant that a replacement in the mode replace took out itself", async () => {
    await start();
    const provider = cloud.provider({ grantMode: "replace" });
    const { id, state } = await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    await provider.create(STORE_GRANT, grantOn(0, GRACE), OPTIONS);
    const { reporter, said } = listener();
    await provider.delete(STORE_GRANT, { id, state }, { ...OPTIONS, reporter });
    expect(said).toEqual([]);
  });

  test("a secret member and the members that it may be are not shown", async () => {
    await start({ policy });
    const { reporter, said } = listener();
    await cloud.merging().delete(STORE_GRANT, prior(grantOn(0, ALIAS)), { ...OPTIONS, reporter, secret: ["member"] });
    expect(said.join()).toContain("[secret]");
    expect(said.join()).not.toMatch(/alias|ada/);
  });
});
