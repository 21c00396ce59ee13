import type { CloudObject } from "./reference";
import { Claims } from "./claims";
import { CredentialsError } from "./errors";
import { SharedFacts, type FactLog } from "./facts";

const grant: CloudObject = { url: "https://a/", name: "projects/demo/stores/s", within: ["viewer", "ada"] };
const KEPT = { whyUnclear: () => "unclear", remove: () => Promise.reject(new Error("removed")) };

/** Lets a delete run, and returns whether it removed the object. */
async function remove(claims: Claims, identity: string | undefined, object = grant) {
  let removed = false;
  const decision = await claims.remove(object, identity, {
    ...KEPT,
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
  test("keeps an object that one resource declares and another resource has", async () => {
    const claims = new Claims();
    claims.declare(grant, "v");
    claims.noteHeld(grant, "w");
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
    claims.noteHeld(grant, "u");
    // Engines check a resource again before they replace it.
    claims.declare(grant, "u");
    expect(await remove(claims, "u")).toMatchObject({ removed: true });
    await make(claims, "u");
    expect(claims.others(grant, "w")).toEqual([{ identity: "u", holds: true }]);
  });

  test("keeps an object of which the state has a newer record of the same resource (an import)", async () => {
    const claims = new Claims();
    claims.declare(grant, "u");
    claims.noteHeld(grant, "u");
    expect(await remove(claims, "u")).toEqual({ kind: "own", by: undefined, removed: false });
    // The resource still has it: the delete of another one leaves it, too.
    expect(await remove(claims, "v")).toEqual({ kind: "held", by: "u", removed: false });
  });

  test("keeps an object that a read found for the same resource, but not for the delete of another one", async () => {
    const claims = new Claims();
    claims.noteFound([grant], "u");
    expect(claims.isManaged(grant)).toBe(false);
    expect(await remove(claims, "u")).toEqual({ kind: "own", by: undefined, removed: false });
    expect(await remove(claims, "v")).toMatchObject({ kind: "remove", removed: true });
  });

  test("removes an object that a refresh found in the state of a resource which the program does not declare", async () => {
    const claims = new Claims();
    claims.noteHeld(grant, "u");
    expect(await remove(claims, "u")).toMatchObject({ kind: "remove", removed: true });
  });

  test("changes nothing if a read found the object under another spelling of its project, and the number is unknown", async () => {
    const claims = new Claims();
    claims.noteFound({ ...grant, name: "projects/123456789012/stores/s" }, "u");
    expect(await remove(claims, "u")).toEqual({ kind: "unknown", by: undefined, removed: false });
  });

  test("keeps an object that its own replacement adopts after the delete", async () => {
    const claims = new Claims();
    claims.declare(grant, "u");
    expect(await claims.remove(grant, "u", { ...KEPT, createAdopts: true })).toEqual({
      kind: "held",
      by: { identity: "u" },
    });
    claims.noteCreateBegun(grant, "u");
    expect(await claims.remove(grant, "u", { ...KEPT, createAdopts: true })).toMatchObject({ kind: "declared" });
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
    claims.noteHeld(grant, "u");
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
    expect(claims.noteHeld(grant, "v")).toBe(false);
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
    expect(await remove(claims, "u")).toMatchObject({ removed: true });
  });

  const respelled = { ...grant, name: "projects/123/stores/s" };

  test.each<[string, (claims: Claims) => unknown]>([
    ["another resource declares", (claims) => claims.declare(respelled, "v")],
    ["another resource has in the state", (claims) => claims.noteHeld(respelled, "v")],
    ["the replacement of the same resource declares", (claims) => claims.declare(respelled, "u")],
    ["another resource declares the role of", (claims) => claims.declare({ ...respelled, within: ["viewer"] }, "v")],
    [
      "another resource declares a part of",
      (claims) => claims.declare({ ...respelled, within: ["viewer", "ada", "x"] }, "v"),
    ],
  ])("a delete keeps an object that %s by the number of a project whose id is unknown", async (_, claim) => {
    const claims = new Claims();
    claim(claims);
    expect(await remove(claims, "u")).toMatchObject({ kind: "unknown", removed: false });
    // The reverse: the delete has the number.
    const others = new Claims();
    others.declare(grant, "v");
    expect(await remove(others, "u", respelled)).toMatchObject({ kind: "unknown", removed: false });
  });

  test("a delete removes an object whose state has the number of a project whose id is unknown", async () => {
    const claims = new Claims();
    claims.noteHeld(respelled, "u");
    expect(await remove(claims, "u")).toMatchObject({ removed: true });
  });

  test("another resource with the number is found, and the resource itself is not", () => {
    const claims = new Claims();
    claims.declare(respelled, "v");
    expect(claims.otherSpelling(grant, "u")).toEqual({ identity: "v" });
    expect(claims.otherSpelling(grant, "v")).toBeUndefined();
    expect(claims.otherSpelling({ ...grant, within: ["editor"] }, "u")).toBeUndefined();
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

  test("after a failed delete, each resource that declares the object reads it", async () => {
    const claims = new Claims();
    claims.declare({ ...grant, within: ["viewer", "another"] }, "u");
    claims.declare(grant, "v");
    await expect(claims.remove(grant, "u", KEPT)).rejects.toThrow("removed");
    expect(claims.noteHeld(grant, "v")).toBe(false);
  });

  test("after a delete that certainly removed nothing, the object is still there", async () => {
    const claims = new Claims();
    claims.declare({ ...grant, within: ["viewer", "another"] }, "u");
    claims.declare(grant, "v");
    const refused = { ...KEPT, remove: () => Promise.reject(new CredentialsError("no token")) };
    await expect(claims.remove(grant, "u", refused)).rejects.toThrow("no token");
    expect(claims.noteHeld(grant, "v")).toBe(true);
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
    one.noteHeld(grant, "u");
    two.noteHeld(grant, "v");
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
        if (fact.kind === "removing") two.noteCreated(grant, "v");
        return facts.append(fact);
      },
      facts: () => facts.facts(),
    };
    expect(await remove(new Claims(log), "u")).toMatchObject({ kind: "held", by: "v", removed: false });
    expect(two.noteHeld(grant, "v")).toBe(true);
  });

  test("each process knows what the others removed", async () => {
    const [one, two] = processes(2) as [Claims, Claims];
    one.declare({ ...grant, within: ["viewer", "another"] }, "u");
    two.declare(grant, "v");
    await remove(one, "u");
    expect(two.noteHeld(grant, "v")).toBe(false);
    await make(two, "v");
    expect(two.noteHeld(grant, "v")).toBe(true);
  });
});

describe("several objects of one resource", () => {
  const role: CloudObject = { ...grant, within: ["viewer"] };
  const grace: CloudObject = { ...grant, within: ["viewer", "grace"] };
  const binding = [role, grant, grace];
  const removed = async (claims: Claims, identity: string, objects: readonly CloudObject[] = binding) => {
    let gone: readonly CloudObject[] = [];
    const decision = await claims.remove(objects, identity, {
      ...KEPT,
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
    const rival = { identity: "u", depth: first.within?.length ?? 0 };
    expect(two.rivals(second, { alone }, "v")).toEqual([rival]);
    expect(two.rivals(second, { alone }, "u")).toEqual([]);
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
