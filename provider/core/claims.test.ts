import type { CloudObject } from "./reference";
import { Claims } from "./claims";
import { SharedFacts, type EarlyRemovals, type FactLog } from "./facts";

const grant: CloudObject = { url: "https://a/", name: "projects/demo/stores/s", within: ["viewer", "ada"] };
const KEPT = { isSame: (_name: string) => Promise.resolve(false), remove: () => Promise.reject(new Error("removed")) };

/** Lets a delete run, and returns whether it removed the object. */
async function remove(claims: Claims, identity: string | undefined, object = grant, isSame = KEPT.isSame) {
  let removed = false;
  const decision = await claims.remove(object, identity, {
    isSame,
    remove: () => {
      removed = true;
      return Promise.resolve();
    },
  });
  return { kind: decision.kind, by: "by" in decision ? decision.by.identity : undefined, removed };
}

const make = (claims: Claims, identity: string | undefined, object = grant) =>
  claims.make(
    object,
    identity,
    () => Promise.resolve(),
    () => Promise.resolve(),
  );

describe("the decision of a delete", () => {
  test("removes an object that no other resource declares", async () => {
    expect(await remove(new Claims(), "u")).toEqual({ kind: "remove", by: undefined, removed: true });
  });

  test("keeps an object that another resource made (a rename)", async () => {
    const claims = new Claims();
    claims.declare(grant, "v");
    await make(claims, "v");
    expect(await remove(claims, "u")).toEqual({ kind: "held", by: "v", removed: false });
  });

  test("keeps an object that another resource also has in the state, until that resource is deleted, too", async () => {
    const claims = new Claims();
    claims.declare(grant, "v");
    expect(claims.hold(grant, "v")).toBe(true);
    expect(claims.hold(grant, "u")).toBe(true);
    expect(await remove(claims, "u")).toMatchObject({ kind: "held", by: "v" });
    // `u` does not hold the object any more.
    claims.declare({ ...grant, within: ["viewer", "another"] }, "v");
    expect(await remove(claims, "v")).toMatchObject({ kind: "remove", removed: true });
  });

  test("keeps an object that one resource declares and another resource has", async () => {
    const claims = new Claims();
    claims.declare(grant, "v");
    claims.hold(grant, "w");
    expect(await remove(claims, "u")).toEqual({ kind: "held", by: "w", removed: false });
  });

  test("keeps an object that its own replacement made before the delete", async () => {
    const claims = new Claims();
    claims.declare(grant, "u");
    await make(claims, "u");
    expect(await remove(claims, "u")).toMatchObject({ kind: "held", by: "u" });
  });

  test("removes an object that its own replacement creates again after the delete", async () => {
    const claims = new Claims();
    claims.declare(grant, "u");
    claims.hold(grant, "u");
    expect(await remove(claims, "u")).toMatchObject({ removed: true });
    await make(claims, "u");
    expect(claims.others(grant, "w")).toEqual([{ identity: "u", holds: true }]);
  });

  test("keeps an object that its own replacement adopts after the delete", async () => {
    const claims = new Claims();
    claims.declare(grant, "u");
    expect(await claims.remove(grant, "u", { ...KEPT, createAdopts: true })).toEqual({
      kind: "held",
      by: { identity: "u" },
    });
    claims.making(grant, "u");
    expect(await claims.remove(grant, "u", { ...KEPT, createAdopts: true })).toMatchObject({ kind: "declared" });
  });

  test("changes nothing if another resource declares the object and has not made it", async () => {
    const claims = new Claims();
    claims.declare(grant, "v");
    expect(await remove(claims, "u")).toEqual({ kind: "declared", by: "v", removed: false });
  });

  test("changes nothing if another resource declares the object, also if the deleted resource was replaced before", async () => {
    const claims = new Claims();
    const another = { ...grant, within: ["viewer", "another"] };
    claims.declare(grant, "v");
    claims.declare(another, "u");
    await make(claims, "u", another);
    expect(await remove(claims, "u")).toMatchObject({ kind: "declared", by: "v" });
  });

  test("refuses the delete of an earlier resource of the same name after a create that failed", async () => {
    const claims = new Claims();
    claims.declare(grant, "u");
    claims.hold(grant, "u");
    await expect(claims.make(grant, "u", () => Promise.reject(new Error("failed")), KEPT.remove)).rejects.toThrow(
      "failed",
    );
    expect(await remove(claims, "u")).toEqual({ kind: "declared", by: "u", removed: false });
  });

  test("keeps an object that no resource of this process holds if the facts of other processes are incomplete", async () => {
    const log: FactLog = { append: () => false, facts: () => [], problem: "the disk is full" };
    const claims = new Claims(log);
    expect(await remove(claims, "u")).toEqual({ kind: "unknown", by: undefined, removed: false });
    claims.declare(grant, "v");
    expect(await remove(claims, "u")).toMatchObject({ kind: "declared", by: "v" });
    await make(claims, "v");
    expect(await remove(claims, "u")).toMatchObject({ kind: "held", by: "v" });
  });

  test("removes an object that another resource declares and may still create, and knows that its state is wrong", async () => {
    const claims = new Claims();
    claims.declare(grant, "v");
    claims.declare({ ...grant, within: ["viewer", "another"] }, "u");
    expect(await remove(claims, "u")).toMatchObject({ removed: true });
    // The state has it as `v`'s, and it is gone.
    expect(claims.hold(grant, "v")).toBe(false);
  });

  test("a resource no longer declares what it declared before its inputs changed", async () => {
    const claims = new Claims();
    claims.declare(grant, "v");
    claims.declare({ ...grant, within: ["viewer", "another"] }, "v");
    expect(await remove(claims, "u")).toMatchObject({ removed: true });
  });

  test("a resource without a known identity equals no other resource", async () => {
    const claims = new Claims();
    claims.declare(grant, undefined);
    await make(claims, undefined);
    expect(await remove(claims, undefined)).toMatchObject({ kind: "held" });
    expect(await remove(claims, "u")).toMatchObject({ kind: "held", by: undefined });
  });

  test("a create without a check before it does not belong to this run's program", async () => {
    const claims = new Claims();
    await make(claims, "u");
    expect(await remove(claims, "u")).toMatchObject({ removed: true });
  });
});

describe("the spelling of an object", () => {
  test.each([
    ["another cloud", { ...grant, url: "https://b/" }],
    ["another part", { ...grant, within: ["viewer", "viewer grace"] }],
    ["another name", { ...grant, name: "projects/demo/stores/t" }],
    ["another project", { ...grant, name: "projects/other/stores/s" }],
  ])("%s is another object", async (_, other) => {
    const claims = new Claims();
    claims.declare(other, "v");
    await make(claims, "v", other);
    expect(await remove(claims, "u", grant, () => Promise.resolve(true))).toMatchObject({ removed: true });
  });

  test.each([
    [true, "held", false],
    [false, "remove", true],
  ])("whether a number and an id are one project is looked up (%s)", async (same, kind, removed) => {
    const claims = new Claims();
    const respelled = { ...grant, name: "projects/123/stores/s" };
    claims.declare(respelled, "v");
    await make(claims, "v", respelled);
    const asked: string[] = [];
    const isSame = (name: string) => {
      asked.push(name);
      return Promise.resolve(same);
    };
    expect(await remove(claims, "u", grant, isSame)).toMatchObject({ kind, removed });
    expect(asked).toEqual(["projects/123/stores/s"]);
  });

  test("the projects are not compared if no other resource declares the other spelling", async () => {
    const claims = new Claims();
    const respelled = { ...grant, name: "projects/123/stores/s" };
    claims.hold(respelled, "u");
    expect(await remove(claims, "u", grant, () => Promise.reject(new Error("asked")))).toMatchObject({
      removed: true,
    });
  });

  test("a replacement that spells the project differently keeps the object that it made (a move to another provider)", async () => {
    const claims = new Claims();
    const respelled = { ...grant, name: "projects/123/stores/s" };
    claims.declare(respelled, "u");
    await make(claims, "u", respelled);
    expect(await remove(claims, "u", grant, () => Promise.resolve(true))).toMatchObject({ kind: "held", by: "u" });
    expect(await remove(claims, "u", grant)).toMatchObject({ removed: true });
  });

  test("an object that is removed under one spelling is removed under the other", async () => {
    const claims = new Claims();
    const respelled = { ...grant, name: "projects/123/stores/s" };
    claims.declare(respelled, "v");
    claims.declare({ ...grant, within: ["viewer", "another"] }, "u");
    await remove(claims, "u", grant, () => Promise.resolve(true));
    expect(claims.hold(respelled, "v")).toBe(false);
  });
});

describe("a delete before it is known that another resource has the object under the other spelling of the project", () => {
  const respelled = { ...grant, name: "projects/123/stores/s" };
  const another = { ...grant, within: ["viewer", "another"] };

  test("makes that resource make the object again", async () => {
    const claims = new Claims();
    claims.declare(another, "u");
    expect(await remove(claims, "u")).toMatchObject({ removed: true });
    claims.declare(respelled, "v");
    expect(claims.hold(respelled, "v")).toBe(false);
    await make(claims, "v", respelled);
    expect(claims.hold(respelled, "v")).toBe(true);
  });

  test("sees the object that the resource makes in between", async () => {
    const facts = new SharedFacts();
    const two = new Claims(facts);
    two.declare(another, "u");
    const log: FactLog = {
      append: (fact) => {
        if (fact.kind === "removing") {
          two.declare(respelled, "v");
          two.made(respelled, "v");
        }
        return facts.append(fact);
      },
      facts: () => facts.facts(),
    };
    const removing = remove(new Claims(log), "u", grant, () => Promise.resolve(true));
    expect(await removing).toMatchObject({ kind: "held", by: "v", removed: false });
  });
});

describe("a delete and a create at the same time", () => {
  test("a create during a delete of its object waits for it, and creates the object again", async () => {
    const claims = new Claims();
    let cloud = true;
    let removeNow = () => {};
    const removing = new Promise<void>((resolve) => (removeNow = resolve));
    claims.declare({ ...grant, within: ["viewer", "another"] }, "u");
    claims.declare(grant, "v");
    const deleting = claims.remove(grant, "u", {
      ...KEPT,
      remove: async () => {
        await removing;
        cloud = false;
      },
    });
    let waits = 0;
    await claims.make(
      grant,
      "v",
      () => {
        cloud = true;
        return Promise.resolve();
      },
      async () => {
        waits += 1;
        removeNow();
        await deleting;
      },
    );
    expect([waits, cloud]).toEqual([1, true]);
  });

  test("a delete leaves an object that another resource made after the delete began", async () => {
    const claims = new Claims();
    const respelled = { ...grant, name: "projects/123/stores/s" };
    claims.declare({ ...grant, within: ["viewer", "another"] }, "u");
    claims.declare(grant, "v");
    claims.declare(respelled, "w");
    const isSame = async () => {
      await make(claims, "v");
      return true;
    };
    expect(await remove(claims, "u", grant, isSame)).toMatchObject({ kind: "held", by: "v" });
    expect(claims.hold(grant, "v")).toBe(true);
  });

  test("after a failed delete, each resource that declares the object reads it", async () => {
    const claims = new Claims();
    claims.declare({ ...grant, within: ["viewer", "another"] }, "u");
    claims.declare(grant, "v");
    await expect(claims.remove(grant, "u", KEPT)).rejects.toThrow("removed");
    expect(claims.hold(grant, "v")).toBe(false);
  });
});

describe("several processes", () => {
  function processes(count: number): Claims[] {
    const facts = new SharedFacts();
    return Array.from({ length: count }, () => new Claims(facts));
  }

  test("a resource that moved to another process holds the object", async () => {
    const [one, two] = processes(2) as [Claims, Claims];
    two.declare(grant, "v");
    await make(two, "v");
    expect(await remove(one, "u")).toEqual({ kind: "held", by: "v", removed: false });
  });

  test("a delete knows that its replacement made the object in another process (a replaced provider)", async () => {
    const [one, two] = processes(2) as [Claims, Claims];
    two.declare(grant, "u");
    expect(await remove(one, "u")).toMatchObject({ removed: true });
    await make(two, "u");
    expect(await remove(one, "u")).toMatchObject({ kind: "held" });
  });

  test("when two resources of one object are deleted at the same time, one of them removes it", async () => {
    const [one, two] = processes(2) as [Claims, Claims];
    one.hold(grant, "u");
    two.hold(grant, "v");
    const decisions = await Promise.all([remove(one, "u"), remove(two, "v")]);
    expect(decisions.map(({ removed }) => removed)).toEqual([false, true]);
  });

  test("a delete keeps an object that another process created before the delete announced the removal", async () => {
    const facts = new SharedFacts();
    const two = new Claims(facts);
    two.declare({ ...grant, within: ["viewer", "another"] }, "u");
    two.declare(grant, "v");
    // Between the look of this process at the facts and its own fact.
    const log: FactLog = {
      append: (fact) => {
        if (fact.kind === "removing") two.made(grant, "v");
        return facts.append(fact);
      },
      facts: () => facts.facts(),
    };
    expect(await remove(new Claims(log), "u")).toMatchObject({ kind: "held", by: "v", removed: false });
    expect(two.hold(grant, "v")).toBe(true);
  });

  test("each process knows what the others removed", async () => {
    const [one, two] = processes(2) as [Claims, Claims];
    one.declare({ ...grant, within: ["viewer", "another"] }, "u");
    two.declare(grant, "v");
    await remove(one, "u");
    expect(two.hold(grant, "v")).toBe(false);
    await make(two, "v");
    expect(two.hold(grant, "v")).toBe(true);
  });
});

describe("several objects of one resource", () => {
  const role: CloudObject = { ...grant, within: ["viewer"] };
  const grace: CloudObject = { ...grant, within: ["viewer", "grace"] };
  const binding = [role, grant, grace];
  const removed = async (claims: Claims, identity: string, objects: readonly CloudObject[] = binding) => {
    let gone: readonly CloudObject[] = [];
    const decision = await claims.remove(objects, identity, {
      isSame: () => Promise.resolve(true),
      remove: (all) => {
        gone = all;
        return Promise.resolve();
      },
    });
    return { kind: decision.kind, gone: gone.map(({ within = [] }) => within.at(-1)) };
  };

  test("a delete removes the parts that no other resource has", async () => {
    const claims = new Claims();
    claims.declare(grace, "v");
    await make(claims, "v", grace);
    expect(await removed(claims, "u")).toEqual({ kind: "remove", gone: ["viewer", "ada"] });
  });

  test("a delete leaves all parts if another resource has the whole", async () => {
    const claims = new Claims();
    claims.declare([role], "v");
    await make(claims, "v", role);
    expect(await removed(claims, "u")).toEqual({ kind: "held", gone: [] });
  });

  test("a delete changes nothing if another resource declares a part and has not made it", async () => {
    const claims = new Claims();
    claims.declare(grace, "v");
    expect(await removed(claims, "u")).toEqual({ kind: "declared", gone: [] });
  });

  test("a delete leaves a part that another resource has under the other spelling of the project", async () => {
    const claims = new Claims();
    const respelled = { ...grace, name: "projects/123/stores/s" };
    claims.declare(respelled, "v");
    await make(claims, "v", respelled);
    expect(await removed(claims, "u")).toEqual({ kind: "remove", gone: ["viewer", "ada"] });
  });

  test("a new declaration replaces all objects of the earlier one", () => {
    const claims = new Claims();
    claims.declare(binding, "v");
    claims.declare([role, grant], "v");
    expect(claims.others(grace, "u")).toEqual([]);
    expect(claims.others(grant, "u")).toEqual([{ identity: "v", holds: false }]);
  });
});

describe("rivals", () => {
  const policy: CloudObject = { url: grant.url, name: grant.name };
  const role: CloudObject = { ...policy, within: ["viewer"] };
  const other: CloudObject = { ...policy, within: ["editor", "ada"] };
  const respelled = (object: CloudObject) => ({ ...object, name: "projects/123/stores/s" });

  test.each([
    ["a grant in an owned role", role, grant, false],
    ["a grant in an owned policy", policy, grant, false],
    ["an owned role with a grant in it", grant, role, true],
    ["two owners of one role", role, role, true],
    ["an owned policy with a grant in it", grant, policy, true],
  ])("%s: are rivals in either process", (_, first, second, alone) => {
    const facts = new SharedFacts();
    const [one, two] = [new Claims(facts), new Claims(facts)];
    one.declare(first, "u");
    const rival = { identity: "u", name: grant.name, depth: first.within?.length ?? 0 };
    expect(two.rivals(second, { alone }, "v")).toEqual([rival]);
    expect(two.rivals(second, { alone }, "u")).toEqual([]);
    expect(two.rivals(respelled(second), { alone }, "v")).toEqual([rival]);
    expect(two.rivals({ ...second, name: "projects/other/stores/s" }, { alone }, "v")).toEqual([]);
    expect(two.rivals({ ...second, url: "https://b/" }, { alone }, "v")).toEqual([]);
    one.declare(other, "u");
    expect(two.rivals(role, { alone: true }, "v")).toEqual([]);
  });

  test("two grants of one role, and two resources of one grant, are not rivals", () => {
    const claims = new Claims();
    claims.declare(grant, "u");
    expect(claims.rivals(grant, { alone: false }, "v")).toEqual([]);
    expect(claims.rivals({ ...grant, within: ["viewer", "grace"] }, { alone: false }, "v")).toEqual([]);
  });

  test("a resource without a known identity is a rival, and withdraws no declaration", () => {
    const claims = new Claims();
    claims.declare(grant, undefined);
    claims.declare(other, undefined);
    expect(claims.rivals(policy, { alone: true })).toHaveLength(2);
  });
});

describe("an object that a run removed early", () => {
  /** Early removals that outlive the claims of a run, as those in the user's folder. */
  function early(): EarlyRemovals {
    const all = new Set<string>();
    const keyOf = ({ object, project }: { object: string; project: string }) => `${object} ${project}`;
    return {
      note: (object) => void all.add(keyOf(object)),
      has: (object) => all.has(keyOf(object)),
      settle: (object) => void all.delete(keyOf(object)),
    };
  }
  const runOf = (removals: EarlyRemovals) => new Claims(undefined, removals);

  test("is made again in the next run if the run ends before another resource makes it again", async () => {
    const removals = early();
    const first = runOf(removals);
    first.declare({ ...grant, within: ["viewer", "another"] }, "u");
    expect(await remove(first, "u")).toMatchObject({ removed: true });
    const next = runOf(removals);
    expect(next.hold(grant, "v")).toBe(false);
    next.declare(grant, "v");
    await make(next, "v");
    expect(runOf(removals).hold(grant, "v")).toBe(true);
  });

  test("is known in the next run, too, if the write that makes it again fails", async () => {
    const removals = early();
    const first = runOf(removals);
    first.declare({ ...grant, within: ["viewer", "another"] }, "u");
    await remove(first, "u");
    first.declare(grant, "v");
    expect(first.hold(grant, "v")).toBe(false);
    await expect(first.make(grant, "v", () => Promise.reject(new Error("refused")), KEPT.remove)).rejects.toThrow();
    expect(runOf(removals).hold(grant, "v")).toBe(false);
  });

  test("is not noted by the deletes at the end of a run", async () => {
    const removals = early();
    const first = runOf(removals);
    expect(await remove(first, "u")).toMatchObject({ removed: true });
    expect(runOf(removals).hold(grant, "v")).toBe(true);
  });
});
