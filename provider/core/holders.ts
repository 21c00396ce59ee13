import { sameName } from "./reference";

/** Something in a cloud that a resource of a program stands for. */
export interface CloudObject {
  /** Base URL of the API: two clouds hold objects of the same names. */
  readonly url: string;
  /** Relative resource name. */
  readonly name: string;
  /** Tells several objects under one name apart, such as the grants in one resource's policy. */
  readonly part?: string;
}

/**
 * What a resource did or is about to do with an object. `declared`: its check passed. `held`: the engine's state has it.
 * `made`: a create that followed a check made it. `left`: its delete is over, whatever that did to the object.
 * `removing`, then `removed` or `kept`: its delete takes the object away from the cloud.
 */
export type NoteKind = "declared" | "held" | "made" | "left" | "removing" | "removed" | "kept";

/** One line of what a run knows. The keys and the identity are texts that only their equality matters of. */
export interface Note {
  readonly kind: NoteKind;
  readonly key: string;
  /** The key without the project, which may be spelled as a number or as an id. */
  readonly anyProject: string;
  /** The project as it is spelled, or "". */
  readonly project: string;
  /** Of the resource; "" where nobody knows. */
  readonly identity: string;
}

/** Carries notes between the provider processes of one run. */
export interface NoteSharing {
  /** Turns a text into what notes hold of it: the same text always into the same. */
  digest(text: string): string;
  share(note: Note): void;
  /** The notes of the other processes since the last call. */
  news(): Note[];
}

/** Another resource that holds or declares an object. */
export interface Other {
  /** How the engine calls it; undefined where it belongs to another process, or has no identity. */
  readonly identity: string | undefined;
}

/**
 * What a delete is to do: `remove` the object; leave it, since it is `held` by another resource; or refuse, since another
 * resource has `declared` it and was not made: without the object the one would lose it, without the state nobody would
 * remember it.
 */
export type Fate =
  | { readonly kind: "remove" }
  | { readonly kind: "held"; readonly by: Other }
  | { readonly kind: "declared"; readonly by: Other };

interface Entry {
  declared: boolean;
  held: boolean;
  made: boolean;
  left: boolean;
}

interface Removals {
  /** Under way now. */
  open: number;
  /** That ended in the object being gone. */
  done: number;
}

/**
 * Which resources of this run declare or hold which objects in the cloud. Engines ask a provider about one resource at a
 * time; this is where a delete finds out that another resource wants the object too.
 */
export class Holders {
  private readonly entries = new Map<string, Map<string, Entry>>();
  /** Without its project: the spellings of the project, each with its key. */
  private readonly spellings = new Map<string, Map<string, string>>();
  private readonly removals = new Map<string, Removals>();
  /** The object that each resource declares: its newest check counts. */
  private readonly declarations = new Map<string, string>();
  /** Resources that made something after their check. */
  private readonly makers = new Set<string>();
  /** Identities in full, by their digest; those of this process. */
  private readonly identities = new Map<string, string>();

  /** @param sharing with the other provider processes of the run. Default: there are none. */
  constructor(private readonly sharing: NoteSharing = ALONE) {}

  /** A resource's check passed. */
  declare(object: CloudObject, identity: string | undefined): void {
    this.note("declared", object, identity);
  }

  /**
   * The state has the object as this resource's.
   *
   * @returns false where another resource's delete took it away in this run: then it has to be made again.
   */
  hold(object: CloudObject, identity: string | undefined): boolean {
    this.note("held", object, identity);
    const { key } = this.keysOf(object);
    const { open, done } = this.removalsOf(key);
    return open === 0 && (done === 0 || this.entriesOf(key).some(([, entry]) => entry.made));
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
    const { key } = this.keysOf(object);
    for (;;) {
      const seen = this.removalsOf(key).done;
      const result = await ensure();
      this.made(object, identity);
      // A delete looks for makers after it has noted its own beginning, so that at least one of the two sees the other.
      const { open, done } = this.removalsOf(key);
      if (open === 0 && done === seen) return result;
      while (this.removalsOf(key).open > 0) await wait();
    }
  }

  /** A create or update of a resource left the object in the cloud, or may have. */
  made(object: CloudObject, identity: string | undefined): void {
    const { key } = this.keysOf(object);
    // Without a check before it, the engine of this run has not asked for it: nothing to keep a delete from.
    if (this.entry(key, this.digest(identity))?.declared) this.note("made", object, identity);
  }

  /** The other resources that hold or declare an object, those that hold it first. */
  others(object: CloudObject, identity: string | undefined): (Other & { holds: boolean })[] {
    return this.othersOf([this.keysOf(object).key], this.digest(identity));
  }

  /** What a delete of an object by a resource is to do. */
  fate(object: CloudObject, identity: string | undefined): Fate {
    return this.fateOf([this.keysOf(object).key], this.digest(identity));
  }

  /**
   * Lets a delete do what its object's fate is.
   *
   * @param isSame tells whether the resource of another name, the same but for the spelling of its project, is the same.
   * @param remove takes the object away from the cloud.
   */
  async remove(
    object: CloudObject,
    identity: string | undefined,
    { isSame, remove }: { isSame(name: string): Promise<boolean>; remove(): Promise<void> },
  ): Promise<Fate> {
    const keys = await this.keysOfAll(object, identity, isSame);
    const digest = this.digest(identity);
    const planned = this.fateOf(keys, digest);
    if (planned.kind === "declared") return planned;
    if (planned.kind === "held") {
      this.note("left", object, identity);
      return planned;
    }
    const objects = keys.map((key) => this.spelled(object, key));
    for (const each of objects) this.note("removing", each, identity);
    // Whoever made it since the look above has not seen the note, so it is looked for once more.
    const fate = this.fateOf(keys, digest);
    if (fate.kind === "held") {
      for (const each of objects) this.note("kept", each, identity);
      this.note("left", object, identity);
      return fate;
    }
    try {
      await remove();
    } finally {
      // After a failure nobody knows, so that whoever wants it looks.
      for (const each of objects) this.note("removed", each, identity);
    }
    this.note("left", object, identity);
    return planned;
  }

  /** The keys of an object under all spellings of its project that mean the same. */
  private async keysOfAll(
    object: CloudObject,
    identity: string | undefined,
    isSame: (name: string) => Promise<boolean>,
  ): Promise<string[]> {
    this.learn();
    const { key, anyProject } = this.keysOf(object);
    const keys = [key];
    for (const [project, other] of this.spellings.get(anyProject) ?? []) {
      const name = withProject(object.name, project);
      if (other === key || !sameName(name, object.name)) continue;
      if (this.othersOf([other], this.digest(identity)).length > 0 && (await isSame(name))) keys.push(other);
    }
    return keys;
  }

  private fateOf(keys: readonly string[], identity: string): Fate {
    const [first] = this.othersOf(keys, identity);
    if (!first) return { kind: "remove" };
    const by: Other = { identity: first.identity };
    if (first.holds) return { kind: "held", by };
    // Deleted before its replacement is made, while the turn of the others may still come: they make it again then.
    const isReplaced = this.declarations.has(identity) && !this.makers.has(identity);
    return isReplaced ? { kind: "remove" } : { kind: "declared", by };
  }

  private othersOf(keys: readonly string[], identity: string): (Other & { holds: boolean })[] {
    this.learn();
    return keys
      .flatMap((key) => this.entriesOf(key))
      .filter(([of, entry]) => (isAnother(of, identity) ? holds(entry) || entry.declared : entry.made))
      .map(([of, entry]) => ({ identity: this.identities.get(of), holds: holds(entry) }))
      .sort((left, right) => Number(right.holds) - Number(left.holds));
  }

  private note(kind: NoteKind, object: CloudObject, identity: string | undefined): void {
    const digest = this.digest(identity);
    if (identity !== undefined) this.identities.set(digest, identity);
    const note: Note = { kind, ...this.keysOf(object), identity: digest };
    if (this.apply(note)) this.sharing.share(note);
  }

  private learn(): void {
    for (const note of this.sharing.news()) this.apply(note);
  }

  /** @returns whether the note says anything new. */
  private apply({ kind, key, anyProject, project, identity }: Note): boolean {
    if (kind === "removing" || kind === "removed" || kind === "kept") {
      const { open, done } = this.removals.get(key) ?? { open: 0, done: 0 };
      this.removals.set(key, {
        open: kind === "removing" ? open + 1 : open - 1,
        done: kind === "removed" ? done + 1 : done,
      });
      return true;
    }
    const known = this.entry(key, identity);
    if (known?.[kind] && (kind !== "declared" || this.declarations.get(identity) === key)) return false;
    const entry: Entry = known ?? { declared: false, held: false, made: false, left: false };
    const byIdentity = this.entries.get(key) ?? new Map<string, Entry>();
    this.entries.set(key, byIdentity.set(identity, { ...entry, [kind]: true }));
    const spellings = this.spellings.get(anyProject) ?? new Map<string, string>();
    this.spellings.set(anyProject, spellings.set(project, key));
    if (kind === "declared") this.supersede(identity, key);
    if (kind === "made") this.makers.add(identity);
    return true;
  }

  /** What a resource declared before, under other inputs, it declares no more. */
  private supersede(identity: string, key: string): void {
    if (identity === NOBODY) return;
    const before = this.declarations.get(identity);
    const entry = before === undefined || before === key ? undefined : this.entry(before, identity);
    if (entry) entry.declared = false;
    this.declarations.set(identity, key);
  }

  private entry(key: string, identity: string): Entry | undefined {
    return this.entries.get(key)?.get(identity);
  }

  private entriesOf(key: string): [identity: string, entry: Entry][] {
    return [...(this.entries.get(key) ?? [])];
  }

  private removalsOf(key: string): Removals {
    this.learn();
    return this.removals.get(key) ?? { open: 0, done: 0 };
  }

  private digest(identity: string | undefined): string {
    return identity === undefined ? NOBODY : this.sharing.digest(identity);
  }

  private keysOf({ url, name, part = "" }: CloudObject): { key: string; anyProject: string; project: string } {
    const project = projectOf(name);
    return {
      key: this.sharing.digest(JSON.stringify([url, name, part])),
      anyProject: this.sharing.digest(JSON.stringify([url, withProject(name, ""), part])),
      project,
    };
  }

  /** The object under the spelling that this key is of. */
  private spelled(object: CloudObject, key: string): CloudObject {
    const own = this.keysOf(object);
    if (own.key === key) return object;
    const [project] = [...(this.spellings.get(own.anyProject) ?? [])].find(([, each]) => each === key) ?? [own.project];
    return { ...object, name: withProject(object.name, project) };
  }
}

/** Instead of an identity that nobody knows: such a resource is a stranger to all, other unknown ones included. */
const NOBODY = "";

const ALONE: NoteSharing = { digest: (text) => text, share: () => {}, news: () => [] };

function isAnother(left: string, right: string): boolean {
  return left !== right || left === NOBODY;
}

function holds({ made, held, left }: Entry): boolean {
  return made || (held && !left);
}

const PROJECT = /^projects\/([^/]+)/;

function projectOf(name: string): string {
  return PROJECT.exec(name)?.[1] ?? "";
}

function withProject(name: string, project: string): string {
  return name.replace(PROJECT, `projects/${project}`);
}
