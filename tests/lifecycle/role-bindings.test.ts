/** Role bindings of each kind of resource: their whole lifecycle, beside member grants and the grants of others. */
import { demoSeed, startEmulator, type Emulator } from "../../emulator";
import type { Values } from "../../provider/core/unknown";
import type { Policy } from "../../provider/iam/policy";
import type { NotReadyError } from "../../provider/core/errors";
import { Provider } from "../../provider/runtime/provider";
import { resources } from "../../provider/services";
import { tokenOf } from "../../provider/core/definition";
import { ADMIN_ROLE, FOREIGN, listener, OPTIONS, ROLE, storeName, users } from "../support/grants";
import { membersIn } from "../support/grant-texts";
import { failure } from "../support/provider";
import { PROJECT_NUMBER } from "../support/recordings";
import { STORE_BINDING, STORE_GRANT } from "../support/tokens";
import { ADA, CONDITION, GRACE, start, useClouds, cloud } from "./grants/scene";

useClouds();

const OTHER = "user:other@example.com";
const binding = (members: string[], more: Values = {}): Values => ({ name: storeName(), role: ROLE, members, ...more });
const member = (who: string, more: Values = {}): Values => ({ name: storeName(), role: ROLE, member: who, ...more });

/** Checks and creates a resource as the engine does. */
async function make(provider: Provider, token: string, identity: string, given: Values) {
  const { inputs, problems } = await provider.check(token, given, { identity });
  expect(problems).toEqual([]);
  return provider.create(token, inputs, { ...OPTIONS, identity });
}

/** The other parts of FOREIGN, which no change of a binding without a condition may touch. */
const foreignParts = ({ bindings = [], auditConfigs }: Policy) => ({
  bindings: bindings.filter(({ role, condition }) => role !== ROLE || condition),
  auditConfigs,
});

test.each(["merge", "replace"])("%s: sets exactly its members, and leaves everything else", async (grantMode) => {
  const provider = (await start({ policy: FOREIGN })).provider({ grantMode });
  const made = await make(provider, STORE_BINDING, "b", binding([ADA, GRACE]));
  const bare = (policy: Policy) => (policy.bindings ?? []).find(({ role, condition }) => role === ROLE && !condition);
  expect(bare(cloud.policy())?.members).toEqual([ADA, GRACE]);
  expect(foreignParts(cloud.policy())).toEqual(foreignParts(FOREIGN));
  expect(cloud.writes.at(-1)?.body?.policy).toMatchObject({ version: 3, etag: expect.any(String) as string });
  expect(made).toMatchObject({
    id: `${storeName()}/${ROLE}`,
    state: { members: [ADA, GRACE], project: "demo-project" },
  });

  const news = binding([OTHER, ADA]);
  expect(provider.compare(STORE_BINDING, made, news, { identity: "b" }).diff).toMatchObject({ action: "update" });
  const state = await provider.update(STORE_BINDING, made, news, { ...OPTIONS, identity: "b" });
  expect(bare(cloud.policy())?.members).toEqual([ADA, OTHER]);

  await cloud.provider({ grantMode }).delete(STORE_BINDING, { id: made.id, state }, { ...OPTIONS, identity: "b" });
  expect(bare(cloud.policy())).toBeUndefined();
  expect(foreignParts(cloud.policy())).toEqual(foreignParts(FOREIGN));
});

test("the order and letter case of members are no change; a member that others add is drift", async () => {
  const provider = (await start()).merging();
  const made = await make(provider, STORE_BINDING, "b", binding([ADA, GRACE]));
  const same = binding([GRACE, "user:ADA@example.com"]);
  expect(provider.compare(STORE_BINDING, made, same, { identity: "b" }).diff).toEqual({ action: "none" });
  cloud.setPolicy({ bindings: [{ role: ROLE, members: [GRACE, ADA, OTHER] }] });
  const current = await cloud.merging().read(STORE_BINDING, made.id, made, OPTIONS);
  expect(current?.state.members).toEqual([GRACE, ADA, OTHER]);
  cloud.setPolicy({});
  expect(await cloud.merging().read(STORE_BINDING, made.id, made, OPTIONS)).toBeUndefined();
});

test("the preview names members that join and leave, including members of others, but no secret members", async () => {
  const policy = { bindings: [{ role: ROLE, members: [OTHER, ADA] }] };
  const provider = (await start({ policy })).merging();
  const prior = { id: `${storeName()}/${ROLE}`, state: { ...binding([ADA]), etag: "e", project: "demo-project" } };
  const { said, reporter } = listener();
  await provider.previewCreate(STORE_BINDING, binding([ADA, GRACE]), { ...OPTIONS, reporter });
  await provider.previewUpdate(STORE_BINDING, prior, binding([ADA, GRACE]), { ...OPTIONS, reporter });
  for (const text of said) {
    expect(text).toContain("1 principal will lose and 1 principal gain a role");
    expect(text).toContain(`- ${OTHER} ${ROLE}\n+ ${GRACE} ${ROLE}`);
  }
  expect(said).toHaveLength(2);
  said.length = 0;
  await provider.previewUpdate(STORE_BINDING, prior, binding([ADA, GRACE]), {
    secret: ["members"],
    ...OPTIONS,
    reporter,
  });
  expect(said.join()).toContain("- user:[secret]");
  expect(said.join()).not.toMatch(/grace|ada|other/);
});

describe("one owner of a role in one program", () => {
  test.each([
    ["a binding", STORE_BINDING, binding([GRACE])],
    ["a member grant", STORE_GRANT, member(GRACE)],
  ])("%s of the same role is refused, whichever comes first", async (_what, token, other) => {
    const orders = [
      [STORE_BINDING, binding([ADA]), token, other],
      [token, other, STORE_BINDING, binding([ADA])],
    ] as const;
    for (const [firstToken, first, secondToken, second] of orders) {
      const provider = (await start()).merging();
      expect((await provider.check(firstToken, first, { identity: "first" })).problems).toEqual([]);
      const { problems } = await provider.check(secondToken, second, { identity: "second" });
      expect(problems).toMatchObject([{ path: "role", reason: expect.stringContaining("first") as string }]);
      // Each may be checked again.
      expect((await provider.check(firstToken, first, { identity: "first" })).problems).toEqual([]);
    }
  });

  test("other roles and conditions are separate; in replace mode, no member grant is beside a binding", async () => {
    const provider = (await start()).merging();
    for (const [identity, token, inputs] of [
      ["a", STORE_BINDING, binding([ADA])],
      ["b", STORE_BINDING, binding([ADA], { condition: CONDITION })],
      ["c", STORE_GRANT, member(ADA, { role: "roles/viewer" })],
    ] as const)
      expect((await provider.check(token, inputs, { identity })).problems).toEqual([]);
    const orders = [
      [STORE_BINDING, binding([ADA]), STORE_GRANT, member(ADA, { role: "roles/viewer" })],
      [STORE_GRANT, member(ADA, { role: "roles/viewer" }), STORE_BINDING, binding([ADA])],
    ] as const;
    for (const [firstToken, first, secondToken, second] of orders) {
      const replacing = cloud.provider({ grantMode: "replace" });
      expect((await replacing.check(firstToken, first, { identity: "a" })).problems).toEqual([]);
      expect((await replacing.check(secondToken, second, { identity: "b" })).problems).toHaveLength(1);
    }
  });
});

describe("the preview of a replacement names who loses the role of the old binding", () => {
  const VIEWER = "roles/viewer";
  const previewOf = async (news: Values, secret: string[] = [], declared: Values[] = []) => {
    const made = await make((await start({ policy: FOREIGN })).merging(), STORE_BINDING, "b", binding([ADA, GRACE]));
    // Somebody else has joined since then.
    const { bindings: live = [], ...rest } = cloud.policy();
    cloud.setPolicy({ ...rest, bindings: [...live, { role: ROLE, members: [OTHER] }] });
    const provider = cloud.merging();
    for (const [at, inputs] of declared.entries())
      await provider.check(STORE_GRANT, inputs, { identity: `member-${at}` });
    const { inputs } = await provider.check(STORE_BINDING, news, { identity: "b" });
    expect(provider.compare(STORE_BINDING, made, inputs, { identity: "b" }).diff).toMatchObject({ action: "replace" });
    const { said, reporter } = listener();
    await provider.previewCreate(STORE_BINDING, inputs, { secret, ...OPTIONS, reporter, identity: "b" });
    return said;
  };
  const deletes = (principals: string) =>
    `warning: This replacement deletes the old binding on ${storeName()}, unless it has the option retainOnDelete and except for the ` +
    `members to whom other resources of this program give the same role: ${principals} will lose a role\n`;

  const keeps =
    `warning: Deleting the binding on ${storeName()} removes only the members that it declares. Others were added outside of it ` +
    "and keep the role: 1 principal\n";

  test("with another role, and who keeps it because others added them", async () => {
    expect((await previewOf(binding([ADA], { role: VIEWER }))).slice(0, 2)).toEqual([
      `${deletes("2 principals")}- ${ADA} ${ROLE}\n- ${GRACE} ${ROLE}`,
      `${keeps}  ${OTHER} ${ROLE}`,
    ]);
  });

  test("with a new condition, and a member that keeps the role without it", async () => {
    expect((await previewOf(binding([ADA], { condition: CONDITION }), [], [member(GRACE)]))[0]).toBe(
      `${deletes("1 principal")}- ${ADA} ${ROLE}`,
    );
  });

  test("without the names of secret members", async () => {
    const said = (await previewOf(binding([ADA], { role: VIEWER }), ["members"])).join("\n");
    expect(said).toContain(deletes("2 principals"));
    expect(said).not.toMatch(/ada@|grace@|other@/);
  });
});

describe("members that others add to the role of a binding", () => {
  const made = async () => make((await start()).merging(), STORE_BINDING, "b", binding([ADA, GRACE]));
  const addOther = () => cloud.setPolicy({ bindings: [{ role: ROLE, members: [ADA, GRACE, OTHER] }] });
  const remove = async (prior: { id: string; state: Values }, secret: string[] = []) => {
    const { said, reporter } = listener();
    await cloud.merging().delete(STORE_BINDING, prior, { ...OPTIONS, identity: "b", reporter, secret });
    return said;
  };
  const kept = (line: string) => [expect.stringMatching(new RegExp(`keep the role: 1 principal\\n  ${line}`))];

  test("stay when the binding is deleted, and the delete names them", async () => {
    const prior = await made();
    addOther();
    expect(await remove(prior)).toEqual(kept(`${OTHER} ${ROLE}`));
    expect(cloud.members()).toEqual([OTHER]);
  });

  test("are not named if the members are secret", async () => {
    const prior = await made();
    addOther();
    expect(await remove(prior, ["members"])).toEqual(kept(`user:\\[secret\\] ${ROLE}`));
  });

  test("stay also after a refresh, which shows them in the state", async () => {
    await made();
    addOther();
    const prior = await cloud.merging().read(STORE_BINDING, "b", { state: binding([ADA, GRACE]) }, OPTIONS);
    expect(prior?.state.members).toEqual([ADA, GRACE, OTHER]);
    const again = await cloud.merging().read(STORE_BINDING, "b", { state: prior?.state ?? {} }, OPTIONS);
    expect(again?.state).toEqual(prior?.state);
    await remove({ id: "b", state: again?.state ?? {} });
    expect(cloud.members()).toEqual([OTHER]);
  });

  test("belong to the binding after the program declares them", async () => {
    await made();
    addOther();
    const prior = await cloud.merging().read(STORE_BINDING, "b", { state: binding([ADA, GRACE]) }, OPTIONS);
    const known = { id: "b", state: prior?.state ?? {} };
    const wanted = binding([ADA, GRACE, OTHER]);
    expect(cloud.merging().compare(STORE_BINDING, known, wanted, { identity: "b" }).diff).toMatchObject({
      action: "update",
      reason: expect.stringContaining("declares members that others had added") as string,
    });
    const state = await cloud.merging().update(STORE_BINDING, known, wanted, { ...OPTIONS, identity: "b" });
    expect(cloud.merging().compare(STORE_BINDING, { id: "b", state }, wanted, { identity: "b" }).diff).toEqual({
      action: "none",
    });
    expect(await remove({ id: "b", state })).toEqual([]);
    expect(cloud.members()).toEqual([]);
  });
});

describe("an update whose write may not have been made", () => {
  test("leaves old and new members in the state, so that a delete removes both, whatever the write did", async () => {
    for (const fault of [{ reset: "before" }, { reset: "after" }] as const) {
      const provider = (await start()).merging();
      const prior = await make(provider, STORE_BINDING, "b", binding([ADA, GRACE]));
      cloud.emulator.setFaults([
        { match: { path: "**:setIamPolicy" }, times: 0, fault },
        { match: { path: "**:getIamPolicy" }, times: 0, fault: { status: "PERMISSION_DENIED" } },
      ]);
      const wanted = binding([OTHER, GRACE]);
      const failed = await failure(provider.update(STORE_BINDING, prior, wanted, { ...OPTIONS, identity: "b" }));
      expect(failed).toMatchObject({ code: "NOT_READY", properties: { members: [OTHER, GRACE, ADA] } });
      cloud.emulator.setFaults([]);

      const { id, properties } = failed as unknown as NotReadyError;
      const { said, reporter } = listener();
      await cloud.merging().delete(STORE_BINDING, { id, state: properties }, { ...OPTIONS, reporter });
      expect([cloud.members(), said.filter((each) => each.includes("keep the role"))]).toEqual([[], []]);
      await cloud.stop();
    }
    await start();
  });

  test("the next update removes the old members", async () => {
    const provider = (await start()).merging();
    const prior = await make(provider, STORE_BINDING, "b", binding([ADA]));
    cloud.emulator.setFaults([{ match: { path: "**IamPolicy" }, times: 0, fault: { reset: "before" } }]);
    const failed = (await failure(
      provider.update(STORE_BINDING, prior, binding([GRACE]), { ...OPTIONS, timeout: 2_000, identity: "b" }),
    )) as unknown as NotReadyError;
    cloud.emulator.setFaults([]);
    const next = cloud.merging();
    const kept = { id: failed.id, state: failed.properties };
    expect(next.compare(STORE_BINDING, kept, binding([GRACE]), { identity: "b" }).diff.action).toBe("update");
    await next.update(STORE_BINDING, kept, binding([GRACE]), { ...OPTIONS, identity: "b" });
    expect(cloud.members()).toEqual([GRACE]);
  });
});

describe("one resource under a project's id and number", () => {
  const projectNumbers = { [PROJECT_NUMBER]: "demo-project" };
  const respelled = (inputs: Values): Values => ({
    ...inputs,
    name: storeName().replace("demo-project", PROJECT_NUMBER),
  });

  test.each([
    ["a member beside a binding", STORE_BINDING, binding([ADA]), STORE_GRANT, member(GRACE)],
    ["a binding beside a member", STORE_GRANT, member(GRACE), STORE_BINDING, binding([ADA])],
    ["a second binding", STORE_BINDING, binding([GRACE]), STORE_BINDING, binding([ADA])],
  ])("%s is refused by the check, and nothing is lost", async (_, firstToken, first, token, second) => {
    const provider = (await start({ projectNumbers })).merging();
    await make(provider, firstToken, "first", first);
    const before = cloud.members();
    const { problems } = await provider.check(token, respelled(second), { identity: "second" });
    expect(problems).toEqual([{ path: "role", reason: expect.stringContaining("first") as string }]);
    expect(cloud.members()).toEqual(before);
  });

  test("two owners of a role on an empty policy are refused, where the Resource Manager says that both are one project", async () => {
    const provider = (await start({ projectNumbers })).merging();
    await provider.check(STORE_BINDING, respelled(binding([GRACE])), { identity: "other" });
    const { problems } = await provider.check(STORE_BINDING, binding([ADA]), { identity: "own" });
    expect(problems).toMatchObject([{ path: "role" }]);
  });

  test.each([
    ["two owners of a role", STORE_BINDING, binding([ADA]), STORE_BINDING, binding([GRACE])],
    ["one grant twice", STORE_GRANT, member(ADA), STORE_GRANT, member(ADA)],
    ["a member beside a binding", STORE_BINDING, binding([ADA]), STORE_GRANT, member(GRACE)],
  ])(
    "%s are refused without the permission to read the project, with what to do",
    async (_, firstToken, first, token, second) => {
      const provider = (await start({ projectNumbers })).merging();
      cloud.emulator.configure({ deny: ["resourcemanager.projects.get"] });
      await provider.check(firstToken, first, { identity: "first" });
      const { problems } = await provider.check(token, respelled(second), { identity: "second" });
      const reason = expect.stringMatching(
        /may be named by first, too.*Use the project's id everywhere, or give .*projects\.get/s,
      ) as string;
      expect(problems).toEqual([{ path: "name", reason }]);
      // Another role on the same resource cannot be the same grant.
      const other = { ...respelled(member(GRACE)), role: "roles/viewer" };
      expect(await provider.check(STORE_GRANT, other, { identity: "third" })).toMatchObject({ problems: [] });
    },
  );

  test("the project of a number is read once, however many resources have it", async () => {
    const provider = (await start({ projectNumbers })).merging();
    for (const each of [ADA, GRACE, OTHER]) await provider.check(STORE_GRANT, respelled(member(each)));
    const asked = cloud.sent.filter(({ url }) => url.endsWith(`/projects/${PROJECT_NUMBER}`));
    expect(asked).toHaveLength(1);
  });
});

test("two new bindings that together exceed the limit are refused at preview", async () => {
  const provider = (await start()).merging();
  const [viewers, editors] = [binding(users(800)), binding(users(800), { role: "roles/viewer" })];
  await provider.check(STORE_BINDING, viewers, { identity: "a" });
  await provider.previewCreate(STORE_BINDING, viewers, { ...OPTIONS, identity: "a" });
  await provider.check(STORE_BINDING, editors, { identity: "b" });
  const preview = provider.previewCreate(STORE_BINDING, editors, { ...OPTIONS, identity: "b" });
  await expect(preview).rejects.toThrow("would have 1600 principals");
});

test("the preview of a binding on a missing resource fails if nothing in the program can create it, and else says so", async () => {
  const provider = (await start()).merging();
  const missing = { ...binding([ADA]), name: storeName().replace("store-0", "missing") };
  const preview = (hasOtherResources: () => boolean) => {
    const { said, reporter } = listener();
    return {
      said,
      done: provider.previewCreate(STORE_BINDING, missing, { ...OPTIONS, reporter, hasOtherResources }),
    };
  };
  await expect(preview(() => false).done).rejects.toThrow("No other resource of this program can create it");
  const { said, done } = preview(() => true);
  await done;
  expect(said.join()).toContain("does not exist (NOT_FOUND)");
});

describe("a binding locks nobody out", () => {
  const EMAIL = "ci@demo-project.iam.gserviceaccount.com";
  const CI = `serviceAccount:${EMAIL}`;
  const admins = (...members: string[]): Policy => ({ bindings: [{ role: ADMIN_ROLE, members }] });
  const ofAdmins = (...members: string[]) => binding(members, { role: ADMIN_ROLE });

  test("the own identity keeps its role, at preview and at the write", async () => {
    await start({ policy: admins(CI, GRACE) });
    for (const grantMode of ["merge", "replace"]) {
      const provider = cloud.as(EMAIL, { grantMode });
      const message = /own identity would lose its last role.*Add to `members` those that keep the role/s;
      await expect(provider.previewCreate(STORE_BINDING, ofAdmins(GRACE), OPTIONS)).rejects.toThrow(message);
      await expect(provider.create(STORE_BINDING, ofAdmins(GRACE), OPTIONS)).rejects.toThrow(message);
      expect(cloud.members(0, ADMIN_ROLE)).toEqual([CI, GRACE]);
    }
    await cloud.as(EMAIL, { allowLockout: true }).create(STORE_BINDING, ofAdmins(GRACE), OPTIONS);
    expect(cloud.members(0, ADMIN_ROLE)).toEqual([GRACE]);
  });

  test("the last administrator of others can only be replaced by another one", async () => {
    await start({ policy: admins(GRACE) });
    await cloud.provider().create(STORE_BINDING, { ...ofAdmins(ADA), condition: CONDITION }, OPTIONS);
    expect(cloud.members(0, ADMIN_ROLE)).toEqual([GRACE, ADA]);
    await cloud.provider().create(STORE_BINDING, ofAdmins(ADA), OPTIONS);
    expect(cloud.policy().bindings).toContainEqual({ role: ADMIN_ROLE, members: [ADA] });
  });

  test("a delete that takes the role of the own identity is refused", async () => {
    await start();
    const made = await make(cloud.as(EMAIL), STORE_BINDING, "b", ofAdmins(ADA, CI));
    const deleting = cloud.as(EMAIL).delete(STORE_BINDING, made, { ...OPTIONS, identity: "b" });
    await expect(deleting).rejects.toThrow("own identity would lose its last role");
    expect(cloud.members(0, ADMIN_ROLE)).toEqual([ADA, CI]);
  });
});

describe("changes during which nobody loses access", () => {
  /** Every policy that was written kept both. */
  const keptBoth = () => {
    for (const { body } of cloud.writes) {
      expect(membersIn(body?.policy)).toEqual(expect.arrayContaining([ADA, GRACE]));
    }
  };

  test("a change from members to a binding, and back", async () => {
    const first = (await start()).merging();
    const members = [
      await make(first, STORE_GRANT, "ada", member(ADA)),
      await make(first, STORE_GRANT, "grace", member(GRACE)),
    ] as const;
    cloud.setPolicy({ bindings: [{ role: ROLE, members: [ADA, OTHER, GRACE] }] });
    cloud.sent.length = 0;
    const second = cloud.merging();
    const whole = await make(second, STORE_BINDING, "whole", binding([ADA, GRACE]));
    await second.delete(STORE_GRANT, members[0], { ...OPTIONS, identity: "ada" });
    await second.delete(STORE_GRANT, members[1], { ...OPTIONS, identity: "grace" });
    expect(cloud.members()).toEqual([ADA, GRACE]);
    const third = cloud.merging();
    const again = await make(third, STORE_GRANT, "ada", member(ADA));
    await make(third, STORE_GRANT, "grace", member(GRACE));
    await third.delete(STORE_BINDING, whole, { ...OPTIONS, identity: "whole" });
    expect(cloud.members()).toEqual([ADA, GRACE]);
    keptBoth();
    await cloud.merging().delete(STORE_GRANT, again, { ...OPTIONS, identity: "ada" });
    expect(cloud.members()).toEqual([GRACE]);
  });

  test("a rename without an alias, and a destroy of both", async () => {
    const first = (await start()).merging();
    const old = await make(first, STORE_BINDING, "old", binding([ADA, GRACE]));
    const second = cloud.merging();
    cloud.sent.length = 0;
    const renamed = await make(second, STORE_BINDING, "new", binding([ADA, GRACE]));
    await second.delete(STORE_BINDING, old, { ...OPTIONS, identity: "old" });
    expect(cloud.members()).toEqual([ADA, GRACE]);
    expect(cloud.writes).toEqual([]);
    await cloud.merging().delete(STORE_BINDING, renamed, { ...OPTIONS, identity: "new" });
    expect(cloud.members()).toEqual([]);
  });
});

test("import finds a binding by its role and the title of its condition", async () => {
  const policy = {
    bindings: [
      { role: ROLE, members: [ADA] },
      { role: ROLE, members: [GRACE], condition: CONDITION },
    ],
  };
  const provider = (await start({ policy })).merging();
  const read = async (id: string) => (await provider.read(STORE_BINDING, id, undefined, OPTIONS))?.inputs;
  expect(await read(`${storeName()} ${ROLE}`)).toEqual(binding([ADA]));
  const conditional = binding([GRACE], { condition: CONDITION });
  expect(await read(`${storeName()} ${ROLE} ${CONDITION.title}`)).toEqual(conditional);
  expect(await read(`${storeName()}/${ROLE}/on-call//true`)).toEqual(conditional);
  expect(await read(`${storeName()} roles/viewer`)).toBeUndefined();
  await expect(read("nothing")).rejects.toThrow("must look like");
  await expect(read(storeName())).rejects.toThrow("must look like");
});

test("a preview and a write refuse more members than a policy may have", async () => {
  const provider = (await start()).merging();
  const tooMany = binding(users(1_501));
  await expect(provider.previewCreate(STORE_BINDING, tooMany, OPTIONS)).rejects.toThrow("the limits are 1500");
  await expect(provider.create(STORE_BINDING, tooMany, OPTIONS)).rejects.toThrow("the limits are 1500");
  expect(cloud.members()).toEqual([]);
});

describe.each(
  resources
    .filter(({ definition }) => definition.name.endsWith("IamBinding"))
    .map(({ definition }) => ({ definition, name: definition.name })),
)("$name", ({ definition }) => {
  let emulator: Emulator;
  afterEach(() => emulator.stop());

  test("has the life of its example", async () => {
    emulator = await startEmulator({ seed: demoSeed, anyResource: true });
    const { values } = definition.documentation.examples[0] as unknown as { values: Values };
    const name = String(values.name ?? values.resource);
    const token = tokenOf(definition);
    const before = (emulator.resource(name)?.policy ?? {}) as Policy;
    const provider = new Provider({ grantMode: "merge" }, { ...emulator.env });
    const made = await make(provider, token, "b", values);
    expect((emulator.resource(name)?.policy as Policy).bindings).toContainEqual({
      role: values.role,
      members: values.members,
    });
    expect(await provider.read(token, made.id, made, OPTIONS)).toMatchObject(made);
    const next = new Provider({ grantMode: "merge" }, { ...emulator.env });
    await next.delete(token, made, { ...OPTIONS, identity: "b" });
    expect((emulator.resource(name)?.policy as Policy).bindings ?? []).toEqual(
      (before.bindings ?? []).filter(({ role, condition }) => role !== values.role || condition),
    );
  });
});
