import type { CloudObject } from "./cloud-object";
import { ObjectNotes, type Standing } from "./object-notes";
import { sameName } from "./reference";

/** Another resource that holds or declares an object. */
export interface Other {
  /** How the engine calls it; undefined where it belongs to another process, or has no identity. */
  readonly identity: string | undefined;
}

/**
 * What a delete is to do: `remove` the object; leave it, since it is `held` by another resource; or refuse, since another
 * resource has `declared` it and was not made. To remove the object would take it from that resource; to drop only the
 * state would leave it in the cloud with nobody to remember it.
 */
export type Fate =
  | { readonly kind: "remove" }
  | { readonly kind: "held"; readonly by: Other }
  | { readonly kind: "declared"; readonly by: Other };

/**
 * Which resources of this run declare or hold which objects in the cloud. Engines ask a provider about one resource at a
 * time; this is where a delete finds out that another resource wants the object too.
 */
export class Holders {
  constructor(private readonly notes = new ObjectNotes()) {}

  /** A resource's check passed. */
  declare(object: CloudObject, identity: string | undefined): void {
    this.notes.declare(object, identity);
  }

  /**
   * The state has the object as this resource's.
   *
   * @returns false where another resource's delete took it away in this run: then it has to be made again.
   */
  hold(object: CloudObject, identity: string | undefined): boolean {
    this.notes.note("held", object, identity);
    const { open, done } = this.notes.removalsOf(object);
    return open === 0 && (done === 0 || this.notes.standings(object).some(({ made }) => made));
  }

  /**
   * Makes an object, and makes it again where another resource's delete took it away meanwhile.
   *
   * @param ensure makes the object unless it is there.
   * @param wait is called between looks at a delete that is under way.
   */
  async make<T>(
    object: CloudObject,
    identity: string | undefined,
    ensure: () => Promise<T>,
    wait: () => Promise<void>,
  ): Promise<T> {
    for (;;) {
      const before = this.notes.removalsOf(object).done;
      const result = await ensure();
      this.made(object, identity);
      // A delete looks for makers after it has noted its own beginning, so that at least one of the two sees the other.
      const { open, done } = this.notes.removalsOf(object);
      if (open === 0 && done === before) return result;
      while (this.notes.removalsOf(object).open > 0) await wait();
    }
  }

  /** A create or update of a resource left the object in the cloud, or may have. */
  made(object: CloudObject, identity: string | undefined): void {
    // A create without a check before it is not of this run's program, so that no delete has to leave its object.
    if (this.notes.isDeclared(object, identity)) this.notes.note("made", object, identity);
  }

  /**
   * The program wants an object that the state has, and nothing is to be done for it: as if it had been made. A delete that
   * comes under the same identity is of a resource that had this name before an alias. The npm package alone has such
   * states, and one process in a run, so that no other one has to know.
   */
  keeps(object: CloudObject, identity: string | undefined): void {
    if (this.notes.isDeclared(object, identity)) this.notes.noteHere("made", object, identity);
  }

  /** The other resources that hold or declare an object, those that hold it first. */
  others(object: CloudObject, identity: string | undefined): (Other & { holds: boolean })[] {
    return this.othersOf([object], identity);
  }

  /**
   * Decides what a delete does with its object, and lets it do that.
   *
   * @param isSame tells whether the resource of another name, the same but for the spelling of its project, is the same.
   * @param remove takes the object away from the cloud.
   */
  async remove(
    object: CloudObject,
    identity: string | undefined,
    { isSame, remove }: { isSame(name: string): Promise<boolean>; remove(): Promise<void> },
  ): Promise<Fate> {
    const spellings = [object, ...(await this.sameUnderOtherNames(object, identity, isSame))];
    const noteEach = (kind: "removing" | "removed" | "kept") => {
      for (const each of spellings) this.notes.note(kind, each, identity);
    };
    const planned = this.fateOf(spellings, identity);
    if (planned.kind === "declared") return planned;
    if (planned.kind === "held") {
      this.notes.note("left", object, identity);
      // The holder may be on its way out in another process, and have left the object to this one meanwhile: at least one of
      // the two sees what the other has noted.
      if (identity === undefined || this.fateOf(spellings, identity).kind !== "remove") return planned;
    }
    noteEach("removing");
    // Whoever made it since the look above has not seen the note, so it is looked for once more.
    const fate = this.fateOf(spellings, identity);
    if (fate.kind === "held") {
      noteEach("kept");
      this.notes.note("left", object, identity);
      return fate;
    }
    try {
      await remove();
    } finally {
      // After a failure nobody knows whether it is gone: whoever wants it has to look.
      noteEach("removed");
    }
    this.notes.note("left", object, identity);
    return { kind: "remove" };
  }

  /** The object under the other spellings of its project that other resources use for it. */
  private async sameUnderOtherNames(
    object: CloudObject,
    identity: string | undefined,
    isSame: (name: string) => Promise<boolean>,
  ): Promise<CloudObject[]> {
    const same: CloudObject[] = [];
    for (const other of this.notes.respelled(object)) {
      if (!sameName(other.name, object.name) || this.othersOf([other], identity).length === 0) continue;
      if (await isSame(other.name)) same.push(other);
    }
    return same;
  }

  private fateOf(objects: readonly CloudObject[], identity: string | undefined): Fate {
    const [first] = this.othersOf(objects, identity);
    if (!first) return { kind: "remove" };
    const by: Other = { identity: first.identity };
    if (first.holds) return { kind: "held", by };
    // A resource that is deleted before its replacement is made: the turn of the others may still come, and they make
    // the object again then.
    return this.notes.isStillToMake(identity) ? { kind: "remove" } : { kind: "declared", by };
  }

  private othersOf(objects: readonly CloudObject[], identity: string | undefined): (Other & { holds: boolean })[] {
    return objects
      .flatMap((object) => this.notes.standings(object, identity))
      .filter((one) => (one.isSelf ? one.made : holds(one) || one.declared))
      .map((one) => ({ identity: one.identity, holds: holds(one) }))
      .sort((left, right) => Number(right.holds) - Number(left.holds));
  }
}

function holds({ made, held, left }: Standing): boolean {
  return made || (held && !left);
}
