/** Members that the API stores under another name: the policy has the primary address of an identity. */
import type { Values } from "../../../provider/core/unknown";
import type { Policy } from "../../../provider/iam/policy";
import { ADMIN_ROLE, FOREIGN, grantOn, listener, OPTIONS, ROLE, storeName } from "../../support/grants";
import { VirtualClock } from "../../support/grants-clock";
import { STORE_BINDING, STORE_GRANT } from "../../support/tokens";
import { ADA, CONDITION, GRACE, start, text, useWorlds, world } from "./scene";

useWorlds();

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
  failed(world.provider(settings).create(type, inputs, OPTIONS));

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
    await world.provider({ grantMode }).delete(type, { id, state }, OPTIONS);
    expect(world.members()).toEqual([]);
  });

  test("the stored name in the program needs no further change", async () => {
    await start({ memberAliases: aliases });
    const { id = "", properties: state = {} } = await created(STORE_GRANT, grantOn(0, ALIAS), { grantMode });
    const provider = world.provider({ grantMode });
    const { diff } = provider.compare(STORE_GRANT, { id, state }, grantOn(0, ADA));
    expect(diff.action).toBe("none");
  });
});

test("a name of a member that has the role already fails, and its delete leaves the role to the member", async () => {
  await start({ memberAliases: aliases, policy: { bindings: [{ role: ROLE, members: [ADA] }] } });
  const { message, properties } = await created(STORE_GRANT, grantOn(0, ALIAS), { grantMode: "merge" });
  expect(message).toContain(`The API accepted ${ALIAS} on ${storeName()}, and did not store it`);
  expect(properties).toBeUndefined();
  expect(world.members()).toEqual([ADA]);
});

test("grants of one write that are stored under other names fail with their own ones, beside others that succeed", async () => {
  await start({ memberAliases: aliases, policy: FOREIGN });
  const provider = world.merging();
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
  expect(text(world.policy())).toBe(text(FOREIGN));
});

test("what somebody else grants between two writes of such grants stays", async () => {
  await start({ memberAliases: aliases });
  let writes = 0;
  const provider = world.merging(
    {},
    {
      send: async (request) => {
        const answer = await world.send(request);
        // After the write of both, and before each of them is written alone.
        if (request.method === "POST" && ++writes === 1) world.setPolicy({ ...world.policy(), etag: undefined });
        return answer;
      },
    },
  );
  const errors = await Promise.all(
    [ALIAS, OLD].map((each) => failed(provider.create(STORE_GRANT, grantOn(0, each), OPTIONS))),
  );
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringContaining("did not store it"),
    expect.stringContaining("did not store it"),
  ]);
  expect([...world.members()].sort()).toEqual([ADA, GRACE]);
});

test("a secret member and its stored name are not in the message", async () => {
  await start({ memberAliases: aliases });
  const options = { ...OPTIONS, secret: ["member"] };
  const { message, properties } = await failed(world.merging().create(STORE_GRANT, grantOn(0, ALIAS), options));
  expect(message).toContain("in place of a secret member");
  expect(message).not.toMatch(/ada|alias/);
  expect(properties).toMatchObject({ member: ADA });
});

test("an API that shows no conditions makes no grant with a condition fail", async () => {
  await start({ conditionalReads: "renamed" });
  await world.merging().create(STORE_GRANT, grantOn(0, ADA, { condition: CONDITION }), OPTIONS);
  expect(world.members()).toEqual([ADA]);
});

describe("a grant of a state that the policy has under another name", () => {
  const policy: Policy = { bindings: [{ role: ROLE, members: [ADA, "group:g@example.com"] }] };
  const prior = (inputs: Values) => ({ id: "x", state: { ...inputs, etag: "e" } });

  const whose = [
    "If a missing member is another name of a member with this role, that one keeps the role:",
    `  ${ADA}`,
  ];
  const missing = `the access policy of ${storeName()} does not have`;

  test.each<[string, string, Values, string[]]>([
    ["grant", STORE_GRANT, grantOn(0, ALIAS), [`  ${ALIAS} ${ROLE}.`]],
    ["binding", STORE_BINDING, binding([ALIAS, OLD]), [`  ${ALIAS} ${ROLE},`, `  ${OLD} ${ROLE}.`]],
  ])("a delete of a %s says that it is missing, and whose it may be", async (noun, type, inputs, lines) => {
    await start({ policy });
    const { reporter, said } = listener();
    await world.merging().delete(type, prior(inputs), { ...OPTIONS, reporter });
    const first = `warning: This delete of a ${noun} removes nothing: ${missing}`;
    expect(said[0]?.split("\n")).toEqual([first, ...lines, ...whose]);
    expect(world.members()).toEqual(policy.bindings?.[0]?.members);
  });

  test("a refresh that drops a grant says that it is missing, and whose it may be", async () => {
    await start({ policy });
    const { reporter, said } = listener();
    const options = { ...OPTIONS, reporter };
    expect(await world.merging().read(STORE_GRANT, "x", prior(grantOn(0, ALIAS)), options)).toBeUndefined();
    const first = `warning: The refresh drops this grant from the state: ${missing}`;
    expect(said.map((each) => each.split("\n"))).toEqual([[first, `  ${ALIAS} ${ROLE}.`, ...whose]]);
  });

  test("a delete of a binding names only the members that are missing", async () => {
    await start({ policy });
    const { reporter, said } = listener();
    await world.merging().delete(STORE_BINDING, prior(binding([ADA, OLD])), { ...OPTIONS, reporter });
    expect(said[0]).toContain("does not find all of its members");
    expect(said[0]).toContain(`\n  ${OLD} ${ROLE}`);
    expect(said[0]).not.toContain(ADA);
  });

  test("a delete whose answer was lost does not say that the grant was missing", async () => {
    const clock = new VirtualClock();
    await start({ policy, faults: [{ match: { path: "**:setIamPolicy" }, times: 1, fault: { reset: "after" } }] });
    const { reporter, said } = listener();
    const provider = world.merging({}, { clock, send: clock.timeless(world.send) });
    await clock.until(provider.delete(STORE_GRANT, prior(grantOn(0, ADA)), { ...OPTIONS, reporter }));
    expect(said).toEqual([]);
    expect(world.members()).toEqual(["group:g@example.com"]);
  });

  test("a secret member and the members that it may be are not shown", async () => {
    await start({ policy });
    const { reporter, said } = listener();
    await world.merging().delete(STORE_GRANT, prior(grantOn(0, ALIAS)), { ...OPTIONS, reporter, secret: ["member"] });
    expect(said.join()).toContain("[secret]");
    expect(said.join()).not.toMatch(/alias|ada/);
  });
});
