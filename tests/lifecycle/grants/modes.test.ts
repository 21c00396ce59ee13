/** What a grant does to a policy in each mode, and how members are spelled. */
import type { Policy } from "../../../provider/iam/policy";
import { FOREIGN, grantOn, GrantStack, OPTIONS, ROLE, storeName } from "../../support/grants";
import { STORE_GRANT } from "../../support/tokens";
import { ADA, CONDITION, GRACE, bindings, start, text, useClouds, cloud } from "./scene";

useClouds();

describe("the two modes", () => {
  test("replace: the policy becomes this grant alone; audit configs stay, because they are not grants", async () => {
    const provider = (await start({ policy: FOREIGN })).provider();
    await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    expect(bindings(cloud.policy())).toEqual([{ role: ROLE, members: [ADA] }]);
    expect(cloud.policy().auditConfigs).toEqual(FOREIGN.auditConfigs);
  });

  test("merge: the member joins the binding of its role and condition; all else stays, in order and case", async () => {
    const provider = (await start({ policy: FOREIGN })).merging();
    await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    await provider.create(STORE_GRANT, grantOn(0, GRACE, { condition: CONDITION }), OPTIONS);
    const wanted = structuredClone(FOREIGN) as Policy & { bindings: { role: string; members: string[] }[] };
    wanted.bindings[1]?.members.push(ADA);
    (wanted.bindings as unknown[]).push({ role: ROLE, members: [GRACE], condition: CONDITION });
    expect(text(cloud.policy())).toBe(text(wanted));
  });

  test.each(["replace", "merge"])("%s: a delete removes this grant and nothing else", async (grantMode) => {
    const provider = (await start()).provider({ grantMode });
    const { id, state } = await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    cloud.setPolicy({ ...FOREIGN, bindings: [...(FOREIGN.bindings ?? []), { role: "roles/viewer", members: [ADA] }] });
    const before = text(cloud.policy());
    const stack = cloud.provider({ grantMode });
    await stack.delete(STORE_GRANT, { id, state }, OPTIONS);
    expect(text(cloud.policy())).toBe(before);
    cloud.setPolicy({ bindings: [{ role: ROLE, members: ["user:b@example.com", "user:ADA@example.com"] }] });
    await stack.delete(STORE_GRANT, { id, state }, OPTIONS);
    expect(cloud.members()).toEqual(["user:b@example.com"]);
  });

  test("changing the mode of a stack changes nothing", async () => {
    const stack = new GrantStack((await start({ policy: FOREIGN })).merging());
    await stack.up({ ada: grantOn(0, ADA) });
    const before = cloud.policy();
    for (const provider of [cloud.provider(), cloud.merging()]) {
      stack.use(provider);
      expect(await stack.up({ ada: grantOn(0, ADA) })).toEqual([]);
    }
    expect(cloud.policy()).toEqual(before);
  });

  test("a grant whose resource has gone is deleted without an error", async () => {
    const provider = (await start()).merging();
    const { id, state } = await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    cloud.emulator.remove(storeName());
    await expect(provider.delete(STORE_GRANT, { id, state }, OPTIONS)).resolves.toBeUndefined();
  });

  test("in replace mode, two grants on one resource are refused at the check, with both ways out", async () => {
    const stack = new GrantStack((await start()).provider());
    const up = stack.up({ ada: grantOn(0, ADA), grace: grantOn(0, GRACE) }, { parallel: 1 });
    await expect(up).rejects.toThrow(/set the provider's grantMode to "merge", or keep one grant/);
  });
});

describe("member names", () => {
  test("a deleted: principal is refused as input, with a hint", async () => {
    const provider = (await start()).merging();
    const { problems } = await provider.check(STORE_GRANT, grantOn(0, "deleted:user:gone@example.com?uid=1"));
    expect(problems).toHaveLength(1);
    expect(problems[0]?.reason).toContain("can only be read from policies");
  });

  test("somebody else's spelling of the same member is left, and found again", async () => {
    const provider = (
      await start({ policy: { bindings: [{ role: ROLE, members: ["user:Ada@Example.com"] }] } })
    ).merging();
    const { id, state } = await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    expect(cloud.members()).toEqual(["user:Ada@Example.com"]);
    expect(await provider.read(STORE_GRANT, id, { state }, OPTIONS)).toMatchObject({ inputs: { member: ADA } });
  });

  test("holds also if the server returns its own order and case", async () => {
    await start({ lowercaseMembers: true, sortPolicies: true });
    const provider = cloud.merging();
    const { id, state } = await provider.create(STORE_GRANT, grantOn(0, "user:Zoe@Example.com"), OPTIONS);
    const current = await provider.read(STORE_GRANT, id, { state }, OPTIONS);
    expect(current?.inputs.member).toBe("user:Zoe@Example.com");
    expect(provider.compare(STORE_GRANT, { id, state }, current?.inputs ?? {}).diff.action).toBe("none");
    await cloud.merging().delete(STORE_GRANT, { id, state }, OPTIONS);
    expect(cloud.members()).toEqual([]);
  });
});
