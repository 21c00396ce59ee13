/** Grants that are replaced, renamed, moved or declared twice. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RunLog } from "../../../provider/plugin/run-log";
import { FOREIGN, grantOn, GrantStack, GrantCloud, OPTIONS, ROLE } from "../../support/grants";
import { STORE_GRANT } from "../../support/tokens";
import { ADA, CONDITION, GRACE, bindings, start, text, useClouds, cloud } from "./scene";

useClouds();

describe("replacing, renaming, moving and duplicating revoke nothing", () => {
  const KEEP = { members: [ADA] };

  test.each(["replace", "merge"])("%s: a rename without an alias", async (grantMode) => {
    const stack = new GrantStack((await start()).provider({ grantMode }));
    await stack.up({ before: grantOn(0, ADA) });
    stack.use(cloud.provider({ grantMode }));
    cloud.sent.length = 0;
    expect(await stack.up({ after: grantOn(0, ADA) })).toEqual(["create after", "delete before"]);
    expect(cloud.members()).toEqual(KEEP.members);
    expect(cloud.writes).toEqual([]);
  });

  test.each([1, 8])("a replacement makes the new grant before the old one goes, %i at a time", async (parallel) => {
    const stack = new GrantStack((await start()).merging());
    await stack.up({ a: grantOn(0, ADA), b: grantOn(0, GRACE) });
    stack.use(cloud.merging());
    // The two swap members: what the one gives up, the other now declares.
    await stack.up({ a: grantOn(0, GRACE), b: grantOn(0, ADA) }, { parallel });
    expect([...cloud.members()].sort()).toEqual([ADA, GRACE]);
  });

  test("a resource that took over a name keeps its grant when the one that had the name before goes", async () => {
    const first = (await start()).merging();
    const inputs = grantOn(0, ADA);
    await first.check(STORE_GRANT, inputs, { identity: "a" });
    const made = await first.create(STORE_GRANT, inputs, { ...OPTIONS, identity: "a" });
    // Since then it was renamed to "b" by an alias, of which its state tells nothing, and another "a" declares the same.
    const next = cloud.merging();
    await next.check(STORE_GRANT, inputs, { identity: "a" });
    expect(next.compare(STORE_GRANT, made, inputs, { identity: "a" }).diff).toEqual({ action: "none" });
    await next.delete(STORE_GRANT, made, { ...OPTIONS, identity: "a" });
    expect(cloud.members()).toEqual([ADA]);
    // In a run whose program has neither, it goes: a refresh compares the state with itself, and nobody declares it.
    const last = cloud.merging();
    expect(last.compare(STORE_GRANT, made, inputs, { identity: "a" }).diff).toEqual({ action: "none" });
    await last.delete(STORE_GRANT, made, { ...OPTIONS, identity: "a" });
    expect(cloud.members()).toEqual([]);
  });

  test("two resources declare one grant: whichever goes, in whichever order, the other's stays", async () => {
    for (const [gone, kept] of [
      ["one", "two"],
      ["two", "one"],
    ] as const) {
      const stack = new GrantStack((await start()).merging());
      await stack.up({ one: grantOn(0, ADA), two: grantOn(0, "user:ADA@example.com") });
      stack.use(cloud.merging());
      expect(await stack.up({ [kept]: grantOn(0, ADA) })).toContain(`delete ${gone}`);
      expect(cloud.members().map((each) => each.toLowerCase())).toEqual([ADA]);
      stack.use(cloud.merging());
      await stack.destroy();
      expect(cloud.members()).toEqual([]);
      await cloud.stop();
    }
    await start();
  });

  test("a grant that is deleted first and made again (deleteBeforeReplace) is in the policy all the time", async () => {
    const before = (await start()).merging();
    const { id, state } = await before.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    const provider = cloud.merging();
    await provider.check(STORE_GRANT, grantOn(0, ADA), { identity: "a" });
    cloud.sent.length = 0;
    await provider.delete(STORE_GRANT, { id, state }, { ...OPTIONS, identity: "a" });
    expect(cloud.members()).toEqual([ADA]);
    await provider.create(STORE_GRANT, grantOn(0, ADA), { ...OPTIONS, identity: "a" });
    expect(cloud.members()).toEqual([ADA]);
    expect(cloud.writes).toEqual([]);
  });

  test("a declaration is of this grant: one under another condition, or in another role, goes", async () => {
    const stack = new GrantStack((await start()).merging());
    await stack.up({ a: grantOn(0, ADA, { condition: CONDITION }), b: grantOn(0, ADA, { role: "roles/viewer" }) });
    stack.use(cloud.merging());
    await stack.up({ c: grantOn(0, ADA) });
    expect(bindings(cloud.policy())).toEqual([{ role: ROLE, members: [ADA] }]);
  });

  test.each(["before", "after"])(
    "moved to another provider process, whose check came %s the delete's",
    async (order) => {
      await start();
      const home = mkdtempSync(join(tmpdir(), "perimeter-test-"));
      const address = `127.0.0.1:${randomUUID()}`;
      const logs = [1, 2].map(
        () => new RunLog(address, { HOME: home }, (message) => expect(message).toBe("no warning")),
      );
      const [old, other] = logs.map((each) => cloud.merging({}, { facts: each })) as [
        ReturnType<GrantCloud["merging"]>,
        ReturnType<GrantCloud["merging"]>,
      ];
      const { id, state } = await cloud.merging().create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
      if (order === "after") await old.check(STORE_GRANT, grantOn(0, GRACE), { identity: "grace" });
      await other.check(STORE_GRANT, grantOn(0, ADA), { identity: "new" });
      await other.create(STORE_GRANT, grantOn(0, ADA), { ...OPTIONS, identity: "new" });
      await old.delete(STORE_GRANT, { id, state }, { ...OPTIONS, identity: "old" });
      expect(cloud.members()).toEqual([ADA]);
      // Without the declaration, in the next run, the same delete revokes it.
      await cloud.merging().delete(STORE_GRANT, { id, state }, OPTIONS);
      expect(cloud.members()).toEqual([]);
      rmSync(home, { recursive: true });
    },
  );

  test("a destroy, which checks nothing, removes everything", async () => {
    const stack = new GrantStack((await start({ policy: FOREIGN })).merging());
    await stack.up({ one: grantOn(0, ADA), two: grantOn(0, ADA), three: grantOn(0, GRACE) });
    stack.use(cloud.merging());
    await stack.destroy();
    expect(text(cloud.policy())).toBe(text(FOREIGN));
  });
});
