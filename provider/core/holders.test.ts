import type { CloudObject } from "./cloud-object";
import { Holders } from "./holders";
import type { Note, NoteSharing } from "./note";
import { ObjectNotes } from "./object-notes";

const grant: CloudObject = { url: "https://a/", name: "projects/demo/stores/s", part: "viewer ada" };
const KEPT = { isSame: (_name: string) => Promise.resolve(false), remove: () => Promise.reject(new Error("removed")) };

/** Lets a delete run, and tells whether it took the object away. */
async function remove(holders: Holders, identity: string | undefined, object = grant, isSame = KEPT.isSame) {
  let removed = false;
  const fate = await holders.remove(object, identity, {
    isSame,
    remove: () => {
      removed = true;
      return Promise.resolve();
    },
  });
  return { kind: fate.kind, by: fate.kind === "remove" ? undefined : fate.by.identity, removed };
}

const make = (holders: Holders, identity: string | undefined, object = grant) =>
  holders.make(
    object,
    identity,
    () => Promise.resolve(),
    () => Promise.resolve(),
  );

describe("what a delete is to do", () => {
  test("nobody else wants the object: remove it", async () => {
    expect(await remove(new Holders(), "u")).toEqual({ kind: "remove", by: undefined, removed: true });
  });

  test("another resource has made it (a rename): it is that one's now", async () => {
    const holders = new Holders();
    holders.declare(grant, "v");
    await make(holders, "v");
    expect(await remove(holders, "u")).toEqual({ kind: "held", by: "v", removed: false });
  });

  test("the state has it as another resource's too: it stays, until that one goes as well", async () => {
    const holders = new Holders();
    holders.declare(grant, "v");
    expect(holders.hold(grant, "v")).toBe(true);
    expect(holders.hold(grant, "u")).toBe(true);
    expect(await remove(holders, "u")).toMatchObject({ kind: "held", by: "v" });
    // What `u` has left is not its any more.
    holders.declare({ ...grant, part: "another" }, "v");
    expect(await remove(holders, "v")).toMatchObject({ kind: "remove", removed: true });
  });

  test("one resource declares it and another has it: it is the other's, and stays", async () => {
    const holders = new Holders();
    holders.declare(grant, "v");
    holders.hold(grant, "w");
    expect(await remove(holders, "u")).toEqual({ kind: "held", by: "w", removed: false });
  });

  test("its own replacement has it, made before it goes", async () => {
    const holders = new Holders();
    holders.declare(grant, "u");
    await make(holders, "u");
    expect(await remove(holders, "u")).toMatchObject({ kind: "held", by: "u" });
  });

  test("its own replacement is made after it goes: removed, and made again", async () => {
    const holders = new Holders();
    holders.declare(grant, "u");
    holders.hold(grant, "u");
    expect(await remove(holders, "u")).toMatchObject({ removed: true });
    await make(holders, "u");
    expect(holders.others(grant, "w")).toEqual([{ identity: "u", holds: true }]);
  });

  test("another resource declares it and was never made: nothing is changed", async () => {
    const holders = new Holders();
    holders.declare(grant, "v");
    expect(await remove(holders, "u")).toEqual({ kind: "declared", by: "v", removed: false });
  });

  test("... also where this one was replaced before", async () => {
    const holders = new Holders();
    const another = { ...grant, part: "another" };
    holders.declare(grant, "v");
    holders.declare(another, "u");
    await make(holders, "u", another);
    expect(await remove(holders, "u")).toMatchObject({ kind: "declared", by: "v" });
  });

  test("another resource declares it, and its turn may still come: removed, and whoever has it is told", async () => {
    const holders = new Holders();
    holders.declare(grant, "v");
    holders.declare({ ...grant, part: "another" }, "u");
    expect(await remove(holders, "u")).toMatchObject({ removed: true });
    // The state has it as `v`'s, and it is gone.
    expect(holders.hold(grant, "v")).toBe(false);
  });

  test("what a resource declared before its inputs changed, it declares no more", async () => {
    const holders = new Holders();
    holders.declare(grant, "v");
    holders.declare({ ...grant, part: "another" }, "v");
    expect(await remove(holders, "u")).toMatchObject({ removed: true });
  });

  test("a resource whose identity nobody knows is a stranger to all", async () => {
    const holders = new Holders();
    holders.declare(grant, undefined);
    await make(holders, undefined);
    expect(await remove(holders, undefined)).toMatchObject({ kind: "held" });
    expect(await remove(holders, "u")).toMatchObject({ kind: "held", by: undefined });
  });

  test("a create without a check before it is none of this run's program", async () => {
    const holders = new Holders();
    await make(holders, "u");
    expect(await remove(holders, "u")).toMatchObject({ removed: true });
  });
});

describe("which object is meant", () => {
  test.each([
    ["another cloud", { ...grant, url: "https://b/" }],
    ["another part", { ...grant, part: "viewer grace" }],
    ["another name", { ...grant, name: "projects/demo/stores/t" }],
    ["another project", { ...grant, name: "projects/other/stores/s" }],
  ])("%s is another object", async (_, other) => {
    const holders = new Holders();
    holders.declare(other, "v");
    await make(holders, "v", other);
    expect(await remove(holders, "u", grant, () => Promise.resolve(true))).toMatchObject({ removed: true });
  });

  test.each([
    [true, "held", false],
    [false, "remove", true],
  ])("a number and an id may be one project: it is found out (%s)", async (same, kind, removed) => {
    const holders = new Holders();
    const respelled = { ...grant, name: "projects/123/stores/s" };
    holders.declare(respelled, "v");
    await make(holders, "v", respelled);
    const asked: string[] = [];
    const isSame = (name: string) => {
      asked.push(name);
      return Promise.resolve(same);
    };
    expect(await remove(holders, "u", grant, isSame)).toMatchObject({ kind, removed });
    expect(asked).toEqual(["projects/123/stores/s"]);
  });

  test("nothing is asked where nobody wants the other spelling", async () => {
    const holders = new Holders();
    const respelled = { ...grant, name: "projects/123/stores/s" };
    holders.hold(respelled, "u");
    expect(await remove(holders, "u", grant, () => Promise.reject(new Error("asked")))).toMatchObject({
      removed: true,
    });
  });

  test("removed under one spelling is removed under the other", async () => {
    const holders = new Holders();
    const respelled = { ...grant, name: "projects/123/stores/s" };
    holders.declare(respelled, "v");
    holders.declare({ ...grant, part: "another" }, "u");
    await remove(holders, "u", grant, () => Promise.resolve(true));
    expect(holders.hold(respelled, "v")).toBe(false);
  });
});

describe("a delete and a create at the same time", () => {
  test("a create that meets a delete under way waits for it, and makes the object again", async () => {
    const holders = new Holders();
    let cloud = true;
    let removeNow = () => {};
    const removing = new Promise<void>((resolve) => (removeNow = resolve));
    holders.declare({ ...grant, part: "another" }, "u");
    holders.declare(grant, "v");
    const deleting = holders.remove(grant, "u", {
      ...KEPT,
      remove: async () => {
        await removing;
        cloud = false;
      },
    });
    let waits = 0;
    await holders.make(
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

  test("a delete that meets what was made meanwhile leaves it", async () => {
    const holders = new Holders();
    const respelled = { ...grant, name: "projects/123/stores/s" };
    holders.declare({ ...grant, part: "another" }, "u");
    holders.declare(grant, "v");
    holders.declare(respelled, "w");
    const isSame = async () => {
      await make(holders, "v");
      return true;
    };
    expect(await remove(holders, "u", grant, isSame)).toMatchObject({ kind: "held", by: "v" });
    expect(holders.hold(grant, "v")).toBe(true);
  });

  test("whoever wants the object looks for itself after a delete that failed", async () => {
    const holders = new Holders();
    holders.declare({ ...grant, part: "another" }, "u");
    holders.declare(grant, "v");
    await expect(holders.remove(grant, "u", KEPT)).rejects.toThrow("removed");
    expect(holders.hold(grant, "v")).toBe(false);
  });
});

describe("several processes", () => {
  /** Processes that share notes in memory; digests are not the texts. */
  function processes(count: number, notes: Note[] = []): Holders[] {
    return Array.from({ length: count }, () => {
      let read = 0;
      const own = new Set<Note>();
      const sharing: NoteSharing = {
        digest: (text) => `#${text}`,
        share: (note) => {
          own.add(note);
          notes.push(note);
        },
        news: () => {
          const news = notes.slice(read).filter((note) => !own.has(note));
          read = notes.length;
          return news;
        },
      };
      return new Holders(new ObjectNotes(sharing));
    });
  }

  test("a resource that moved to another process holds the object, and has no name here", async () => {
    const [one, two] = processes(2) as [Holders, Holders];
    two.declare(grant, "v");
    await make(two, "v");
    expect(await remove(one, "u")).toEqual({ kind: "held", by: undefined, removed: false });
  });

  test("a provider that is replaced: the resource's own check and create were the other process's", async () => {
    const [one, two] = processes(2) as [Holders, Holders];
    two.declare(grant, "u");
    expect(await remove(one, "u")).toMatchObject({ removed: true });
    await make(two, "u");
    expect(await remove(one, "u")).toMatchObject({ kind: "held" });
  });

  test("of two that have it and go at the same time, one takes it away", async () => {
    const notes: Note[] = [];
    const [one, two] = processes(2, notes) as [Holders, Holders];
    one.hold(grant, "u");
    two.hold(grant, "v");
    // What the other process notes between this one's look and its own note.
    const push = notes.push.bind(notes);
    notes.push = (...added) => push(...added.flatMap((note) => [{ ...note, identity: "#v" }, note]));
    expect(await remove(one, "u")).toMatchObject({ kind: "remove", removed: true });
  });

  test("what one process removed, the others know", async () => {
    const [one, two] = processes(2) as [Holders, Holders];
    one.declare({ ...grant, part: "another" }, "u");
    two.declare(grant, "v");
    await remove(one, "u");
    expect(two.hold(grant, "v")).toBe(false);
    await make(two, "v");
    expect(two.hold(grant, "v")).toBe(true);
  });
});
