import { projectOf, withProject, type CloudObject, type CloudResource } from "./cloud-object";
import { Declarations, isAnother, UNKNOWN_IDENTITY } from "./declarations";
import { ALONE, type Note, type NoteKind, type NoteSharing } from "./note";

/** How one resource stands to one object. */
export interface Standing {
  /** How the engine calls the resource; undefined where it belongs to another process, or has no identity. */
  readonly identity: string | undefined;
  /** Whether it is the resource that asks. */
  readonly isSelf: boolean;
  readonly declared: boolean;
  readonly held: boolean;
  readonly made: boolean;
  readonly left: boolean;
}

/** The deletes that take an object away. */
export interface Removals {
  /** Under way now. */
  readonly open: number;
  /** That ended in the object being gone. */
  readonly done: number;
}

interface Entry {
  held: boolean;
  made: boolean;
  left: boolean;
}

/**
 * What this run knows of the objects in clouds: which resources declare, hold, made or left each of them, and which
 * deletes are under way. The notes of the run's other processes are in it too.
 *
 * @typeParam Content what is declared of an object, as in `Declarations`.
 */
export class ObjectNotes<Content = unknown> {
  private readonly declarations = new Declarations<Content>();
  /** By the object's key, then by the resource's identity. */
  private readonly entries = new Map<string, Map<string, Entry>>();
  private readonly removals = new Map<string, Removals>();
  /** The spellings of the project that objects came with, by their key without the project. */
  private readonly spellings = new Map<string, Set<string>>();
  /** Resources that made something after their check. */
  private readonly makers = new Set<string>();
  /** Identities in full, by their digest; those of this process. */
  private readonly identities = new Map<string, string>();

  /** @param sharing with the other provider processes of the run. Default: there are none. */
  constructor(private readonly sharing: NoteSharing = ALONE) {}

  /**
   * Notes that a resource declares an object, and what that is, and no longer declares what it declared before.
   *
   * @param identity of the resource; undefined where nobody knows it.
   */
  declare(object: CloudObject, identity: string | undefined, content?: Content): void {
    if (content !== undefined) this.declarations.describe(object, this.keysOf(object).key, content);
    this.note("declared", object, identity);
  }

  /** The objects of a cloud resource that this process declared with a content: the same list, as long as it only grows. */
  declaredOn(resource: CloudResource): readonly Content[] {
    return this.declarations.on(resource);
  }

  /** Another resource that declares another object of the same cloud resource, and its identity where that is known. */
  rival(object: CloudObject, identity: string | undefined): { identity: string | undefined } | undefined {
    const rival = this.declarations.rival(object, this.keysOf(object).key, this.digest(identity));
    return rival === undefined ? undefined : { identity: this.identities.get(rival) };
  }

  /** Whether a resource declares this object. */
  isDeclared(object: CloudObject, identity: string | undefined): boolean {
    return this.declarations.has(this.keysOf(object).key, this.digest(identity));
  }

  /** Whether a resource declares something and has made nothing yet. */
  isStillToMake(identity: string | undefined): boolean {
    const digest = this.digest(identity);
    return this.declarations.isDeclarer(digest) && !this.makers.has(digest);
  }

  /** Notes what a resource does with an object, and tells the other processes where it is new. */
  note(kind: NoteKind, object: CloudObject, identity: string | undefined): void {
    const note = this.noteOf(kind, object, identity);
    if (this.apply(note)) this.sharing.share(note);
  }

  /** Notes it for this process alone. */
  noteHere(kind: NoteKind, object: CloudObject, identity: string | undefined): void {
    this.apply(this.noteOf(kind, object, identity));
  }

  private noteOf(kind: NoteKind, object: CloudObject, identity: string | undefined): Note {
    const digest = this.digest(identity);
    if (identity !== undefined) this.identities.set(digest, identity);
    return { kind, ...this.keysOf(object), identity: digest };
  }

  /**
   * How all resources that anything is known of stand to an object.
   *
   * @param identity of the resource that asks.
   */
  standings(object: CloudObject, identity?: string): Standing[] {
    this.learn();
    const { key } = this.keysOf(object);
    const asking = this.digest(identity);
    return [...(this.entries.get(key) ?? [])].map(([of, entry]) => ({
      ...entry,
      identity: this.identities.get(of),
      isSelf: !isAnother(of, asking),
      declared: this.declarations.has(key, of),
    }));
  }

  removalsOf(object: CloudObject): Removals {
    this.learn();
    return this.removals.get(this.keysOf(object).key) ?? NO_REMOVALS;
  }

  /** An object as it would be under each other spelling of its project that this run has met. */
  respelled(object: CloudObject): CloudObject[] {
    this.learn();
    const { anyProject, project } = this.keysOf(object);
    return [...(this.spellings.get(anyProject) ?? [])]
      .filter((other) => other !== project)
      .map((other) => ({ ...object, name: withProject(object.name, other) }));
  }

  private learn(): void {
    for (const note of this.sharing.news()) this.apply(note);
  }

  /** @returns whether the note says anything new. */
  private apply({ kind, key, anyProject, project, identity }: Note): boolean {
    if (kind === "removing" || kind === "removed" || kind === "kept") {
      const { open, done } = this.removals.get(key) ?? NO_REMOVALS;
      this.removals.set(key, {
        open: kind === "removing" ? open + 1 : open - 1,
        done: kind === "removed" ? done + 1 : done,
      });
      return true;
    }
    this.spellings.set(anyProject, (this.spellings.get(anyProject) ?? new Set()).add(project));
    const byIdentity = this.entries.get(key) ?? new Map<string, Entry>();
    const entry = byIdentity.get(identity) ?? { held: false, made: false, left: false };
    this.entries.set(key, byIdentity.set(identity, entry));
    if (kind === "declared") return this.declarations.add(key, identity);
    if (entry[kind]) return false;
    entry[kind] = true;
    if (kind === "made") this.makers.add(identity);
    return true;
  }

  private digest(identity: string | undefined): string {
    return identity === undefined ? UNKNOWN_IDENTITY : this.sharing.digest(identity);
  }

  private keysOf({ url, name, part = "" }: CloudObject): Pick<Note, "key" | "anyProject" | "project"> {
    return {
      key: this.sharing.digest(JSON.stringify([url, name, part])),
      anyProject: this.sharing.digest(JSON.stringify([url, withProject(name, ""), part])),
      project: projectOf(name),
    };
  }
}

const NO_REMOVALS: Removals = { open: 0, done: 0 };
