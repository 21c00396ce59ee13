import type { CloudObject } from "./cloud-object";
import { Claims, SharedFacts, type FactLog } from "./claims";

const grant: CloudObject = { url: "https://a/", name: "projects/demo/stores/s", part: "viewer ada" };
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

describe("what a delete is to do", () => {
  test("nobody else wants the object: remove it", async () => {
    expect(await remove(new Claims(), "u")).toEqual({ kind: "remove", by: undefined, removed: true });
  });

  test("another resource has made it (a rename): it is that one's now", async () => {
    const claims = new Claims();
    claims.declare(grant, "v");
    await make(claims, "v");
    expect(await remove(claims, "u")).toEqual({ kind: "held", by: "v", removed: false });
  });

  test("the state has it as another resource's too: it stays, until that one goes as well", async () => {
    const claims = new Claims();
    claims.declare(grant, "v");
    expect(claims.hold(grant, "v")).toBe(true);
    expect(claims.hold(grant, "u")).toBe(true);
    expect(await remove(claims, "u")).toMatchObject({ kind: "held", by: "v" });
    // What `u` has left is not its any more.
    claims.declare({ ...grant, part: "another" }, "v");
    expect(await remove(claims, "v")).toMatchObject({ kind: "remove", removed: true });
  });

  test("one resource declares it and another has it: it is the other's, and stays", async () => {
    const claims = new Claims();
    claims.declare(grant, "v");
    claims.hold(grant, "w");
    expect(await remove(claims, "u")).toEqual({ kind: "held", by: "w", removed: false });
  });

  test("its own replacement has it, made before it goes", async () => {
    const claims = new Claims();
    claims.declare(grant, "u");
    await make(claims, "u");
    expect(await remove(claims, "u")).toMatchObject({ kind: "held", by: "u" });
  });

  test("its own replacement is made after it goes: removed, and made again", async () => {
    const claims = new Claims();
    claims.declare(grant, "u");
    claims.hold(grant, "u");
    expect(await remove(claims, "u")).toMatchObject({ removed: true });
    await make(claims, "u");
    expect(claims.others(grant, "w")).toEqual([{ identity: "u", holds: true }]);
  });

  test("its own replacement is made after it goes, and takes over what exists: it stays for that one", async () => {
    const claims = new Claims();
    claims.declare(grant, "u");
    expect(await claims.remove(grant, "u", { ...KEPT, isTakenOver: true })).toEqual({
      kind: "held",
      by: { identity: "u" },
    });
    claims.making(grant, "u");
    expect(await claims.remove(grant, "u", { ...KEPT, isTakenOver: true })).toMatchObject({ kind: "declared" });
  });

  test("another resource declares it and was never made: nothing is changed", async () => {
    const claims = new Claims();
    claims.declare(grant, "v");
    expect(await remove(claims, "u")).toEqual({ kind: "declared", by: "v", removed: false });
  });

  test("... also where this one was replaced before", async () => {
    const claims = new Claims();
    const another = { ...grant, part: "another" };
    claims.declare(grant, "v");
    claims.declare(another, "u");
    await make(claims, "u", another);
    expect(await remove(claims, "u")).toMatchObject({ kind: "declared", by: "v" });
  });

  test("its own create began and did not make it: the delete is of another resource that had its name, and is refused", async () => {
    const claims = new Claims();
    claims.declare(grant, "u");
    claims.hold(grant, "u");
    await expect(claims.make(grant, "u", () => Promise.reject(new Error("failed")), KEPT.remove)).rejects.toThrow(
      "failed",
    );
    expect(await remove(claims, "u")).toEqual({ kind: "declared", by: "u", removed: false });
  });

  test("the notes of other processes are not all known: what nobody here holds is kept", async () => {
    const log: FactLog = { append: () => false, facts: () => [], problem: "the disk is full" };
    const claims = new Claims(log);
    expect(await remove(claims, "u")).toEqual({ kind: "unknown", by: undefined, removed: false });
    claims.declare(grant, "v");
    expect(await remove(claims, "u")).toMatchObject({ kind: "declared", by: "v" });
    await make(claims, "v");
    expect(await remove(claims, "u")).toMatchObject({ kind: "held", by: "v" });
  });

  test("another resource declares it, and its turn may still come: removed, and the state of the other one is known to be wrong", async () => {
    const claims = new Claims();
    claims.declare(grant, "v");
    claims.declare({ ...grant, part: "another" }, "u");
    expect(await remove(claims, "u")).toMatchObject({ removed: true });
    // The state has it as `v`'s, and it is gone.
    expect(claims.hold(grant, "v")).toBe(false);
  });

  test("what a resource declared before its inputs changed, it declares no more", async () => {
    const claims = new Claims();
    claims.declare(grant, "v");
    claims.declare({ ...grant, part: "another" }, "v");
    expect(await remove(claims, "u")).toMatchObject({ removed: true });
  });

  test("a resource whose identity nobody knows is a stranger to all", async () => {
    const claims = new Claims();
    claims.declare(grant, undefined);
    await make(claims, undefined);
    expect(await remove(claims, undefined)).toMatchObject({ kind: "held" });
    expect(await remove(claims, "u")).toMatchObject({ kind: "held", by: undefined });
  });

  test("a create without a check before it is none of this run's program", async () => {
    const claims = new Claims();
    await make(claims, "u");
    expect(await remove(claims, "u")).toMatchObject({ removed: true });
  });
});

describe("which object is meant", () => {
  test.each([
    ["another cloud", { ...grant, url: "https://b/" }],
    ["another part", { ...grant, part: "viewer grace" }],
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
  ])("a number and an id may be one project: it is found out (%s)", async (same, kind, removed) => {
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

  test("nothing is asked where nobody wants the other spelling", async () => {
    const claims = new Claims();
    const respelled = { ...grant, name: "projects/123/stores/s" };
    claims.hold(respelled, "u");
    expect(await remove(claims, "u", grant, () => Promise.reject(new Error("asked")))).toMatchObject({
      removed: true,
    });
  });

  test("removed under one spelling is removed under the other", async () => {
    const claims = new Claims();
    const respelled = { ...grant, name: "projects/123/stores/s" };
    claims.declare(respelled, "v");
    claims.declare({ ...grant, part: "another" }, "u");
    await remove(claims, "u", grant, () => Promise.resolve(true));
    expect(claims.hold(respelled, "v")).toBe(false);
  });
});

describe("a delete and a create at the same time", () => {
  test("a create that meets a delete under way waits for it, and makes the object again", async () => {
    const claims = new Claims();
    let cloud = true;
    let removeNow = () => {};
    const removing = new Promise<void>((resolve) => (removeNow = resolve));
    claims.declare({ ...grant, part: "another" }, "u");
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
    claims.declare({ ...grant, part: "another" }, "u");
    claims.declare(grant, "v");
    claims.declare(respelled, "w");
    const isSame = async () => {
      await make(claims, "v");
      return true;
    };
    expect(await remove(claims, "u", grant, isSame)).toMatchObject({ kind: "held", by: "v" });
    expect(claims.hold(grant, "v")).toBe(true);
  });

  test("whoever wants the object looks for itself after a delete that failed", async () => {
    const claims = new Claims();
    claims.declare({ ...grant, part: "another" }, "u");
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

  test("a provider that is replaced: the resource's own check and create were the other process's", async () => {
    const [one, two] = processes(2) as [Claims, Claims];
    two.declare(grant, "u");
    expect(await remove(one, "u")).toMatchObject({ removed: true });
    await make(two, "u");
    expect(await remove(one, "u")).toMatchObject({ kind: "held" });
  });

  test("of two that have it and go at the same time, one takes it away", async () => {
    const [one, two] = processes(2) as [Claims, Claims];
    one.hold(grant, "u");
    two.hold(grant, "v");
    const decisions = await Promise.all([remove(one, "u"), remove(two, "v")]);
    expect(decisions.map(({ removed }) => removed)).toEqual([false, true]);
  });

  test("a delete leaves what another process made before it said that it removes it", async () => {
    const facts = new SharedFacts();
    const two = new Claims(facts);
    two.declare({ ...grant, part: "another" }, "u");
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

  test("what one process removed, the others know", async () => {
    const [one, two] = processes(2) as [Claims, Claims];
    one.declare({ ...grant, part: "another" }, "u");
    two.declare(grant, "v");
    await remove(one, "u");
    expect(two.hold(grant, "v")).toBe(false);
    await make(two, "v");
    expect(two.hold(grant, "v")).toBe(true);
  });
});

describe("what the program declares on one cloud resource", () => {
  const on = { url: grant.url, name: grant.name };
  const part = (name: string) => ({ ...on, part: name });
  const partsOn = (claims: Claims) => claims.declaredOn(on).map((each) => each.part);

  test("each part is listed once, until no resource wants it, and the list is the same as long as it only grows", () => {
    const claims = new Claims();
    claims.declare(part("a"), "u");
    const list = claims.declaredOn(on);
    claims.declare(part("a"), "v");
    claims.declare(part("b"), "w");
    claims.declare({ ...part("c"), name: "projects/demo/stores/t" }, "x");
    expect(claims.declaredOn(on)).toBe(list);
    expect(partsOn(claims)).toEqual(["a", "b"]);
    claims.declare(part("elsewhere"), "u");
    expect(partsOn(claims)).toEqual(["a", "b", "elsewhere"]);
    claims.declare(part("b"), "v");
    expect(partsOn(claims)).toEqual(["b", "elsewhere"]);
  });

  test("another part of another resource on the same one is a rival; the same part, and one elsewhere, are not", () => {
    const claims = new Claims();
    expect(claims.rival(part("a"), "u")).toBeUndefined();
    claims.declare(part("a"), "u");
    expect(claims.rival(part("a"), "v")).toBeUndefined();
    expect(claims.rival(part("b"), "v")).toEqual({ identity: "u" });
    expect(claims.rival(part("b"), "u")).toBeUndefined();
    expect(claims.rival({ ...part("b"), url: "https://b/" }, "v")).toBeUndefined();
    claims.declare(part("b"), "u");
    expect(claims.rival(part("b"), "v")).toBeUndefined();
  });

  test("resources that nobody knows are each other's rivals, and withdraw nothing", () => {
    const claims = new Claims();
    claims.declare(part("a"), undefined);
    claims.declare(part("b"), undefined);
    expect(claims.rival(part("c"), undefined)).toEqual({ identity: undefined });
    expect(partsOn(claims)).toEqual(["a", "b"]);
  });
});
