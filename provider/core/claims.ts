import { randomUUID } from "node:crypto";
import { ClaimedObject, holds, othersOf, UNKNOWN_IDENTITY, type Claim } from "./claimed-object";
import { effectOf } from "./errors";
import {
  areSpelledDifferently,
  containersOf,
  keyOfFact,
  NOT_SHARED,
  type Fact,
  type FactKind,
  type FactLog,
} from "./facts";
import { getOrCompute } from "./once";
import type { CloudObject } from "./reference";

/** A resource that holds or declares an object. */
export interface Claimant {
  /** The identity of the resource; undefined when it is unknown. */
  readonly identity: string | undefined;
}

/** The object of a resource, or its objects: then the first is the resource as a whole, and the others are parts of it. */
export type Objects = CloudObject | readonly CloudObject[];

/** A resource that declares an object beside which another object cannot exist. */
export interface Rival extends Claimant {
  /** The depth of the declared object in the resource: 0 is the resource itself. */
  readonly depth: number;
}

/**
 * What a delete does. It removes these objects (`remove`). Or it leaves all, because a resource has them (`held`), or because
 * they are the resource's `own`: the engine deletes an older record of a resource that goes on. Or it fails, because another
 * resource declares an object and was not created (`declared`), or because it is `unknown` whether another resource has or
 * declares the objects. Removing an object would take it from that resource. Dropping only the state would leave
 * an object in the cloud that no state contains.
 */
export type Decision =
  | { readonly kind: "remove"; readonly objects: readonly CloudObject[] }
  | { readonly kind: "held"; readonly by: Claimant }
  | { readonly kind: "own" }
  | { readonly kind: "declared"; readonly by: Claimant }
  | { readonly kind: "unknown"; readonly why: string };

/** How a delete removes objects. */
export interface Removal {
  /** Removes these objects from the cloud. An error with the effect `none` proves that they are still there. */
  remove(objects: readonly CloudObject[]): Promise<void>;
  /** The reason why it is unknown whether the other resource has the same object under another spelling of its project. */
  whyUnclear(other: Claimant): string;
  /**
   * Whether a create takes over an existing object. Then the object stays when the resource itself declares it and will still be
   * created.
   */
  createAdopts?: boolean;
}

/**
 * Records which resources of this run declare, hold and make which objects in the cloud, and which objects are being removed.
 * An engine calls the provider for one resource at a time, so a delete uses these records to find other resources that declare
 * the object.
 *
 * A resource can have several objects: a role binding, and each of its grants. Objects can be in each other: a grant is in a role,
 * and the role in a policy. Names have the project's id (`ProjectIds`), so that one object has one name.
 *
 * The claims follow from the facts of the run, which have the same order in all of its processes. A create records its objects
 * after making them, and a delete records its objects before removing them. So the later of the two sees the other.
 */
export class Claims {
  /** By the object's path, then by its project. */
  private readonly objects = new Map<string, Map<string, ClaimedObject>>();
  /** The paths of the objects in an object, at any depth, by its path. */
  private readonly inside = new Map<string, Set<string>>();
  /**
   * The objects that each resource declares. Engines check a resource again when its inputs change, so the newest objects count.
   */
  private readonly declared = new Map<string, Set<ClaimedObject>>();
  /** The number of the log's facts that are applied here. */
  private learned = 0;

  /** @param log shared with the other provider processes of the run. Default: there are none. */
  constructor(private readonly log: FactLog = NOT_SHARED) {}

  /** A resource passed its check. It now declares these objects, and no longer those that it declared before. */
  declare(objects: Objects, identity: string | undefined): void {
    const [first, ...others] = listOf(objects);
    this.noteAll("declared", first ? [first] : [], identity);
    this.noteAll("declared more", others, identity);
  }

  /** Whether a resource declares an object. */
  declares(object: CloudObject, { identity = UNKNOWN_IDENTITY }: Claimant): boolean {
    return this.find(object).claims.get(identity)?.declared ?? false;
  }

  /** Whether the stack manages an object: the program declares it, or the state has it. */
  isManaged(object: CloudObject): boolean {
    return this.find(object).claims.size > 0;
  }

  /**
   * Finds the other resources that cannot exist beside the owner of an object: those that declare an object which contains it.
   *
   * @param alone whether the owner declares all that the object contains. Then those that declare the object itself, or an object
   *   in it, are rivals, too.
   */
  rivals(object: CloudObject, { alone }: { alone: boolean }, identity = UNKNOWN_IDENTITY): Rival[] {
    const { project } = keyOfFact(object);
    return this.around(object, alone).flatMap((path) => {
      const claimed = this.objects.get(path)?.get(project);
      const declaring = claimed ? othersOf(claimed, identity).filter(([, { declared }]) => declared) : [];
      return declaring.map((other) => ({ ...claimantOf(other), depth: containersOf(path).length }));
    });
  }

  /**
   * Finds a resource whose object may be one of these, or be around one: its name has the project's number where the given name has
   * an id, or the reverse, and nothing says whether both are one project.
   *
   * @param isDelete whether the question is for a delete: then what the state has counts, too, and what this identity makes.
   */
  otherSpelling(objects: Objects, identity = UNKNOWN_IDENTITY, isDelete = false): Claimant | undefined {
    for (const object of listOf(objects)) {
      const { project } = keyOfFact(object);
      const spelled = this.around(object, true).flatMap((path) => [...(this.objects.get(path)?.values() ?? [])]);
      for (const claimed of spelled.filter((each) => areSpelledDifferently(each.project, project))) {
        if (isDelete && claimed.current.has(identity)) return { identity };
        const [other] = [...(isDelete ? claimed.claims : othersOf(claimed, identity))].filter(
          ([by, { declared, made, held }]) => declared || made || (isDelete && held && by !== identity),
        );
        if (other) return claimantOf(other);
      }
    }
    return undefined;
  }

  /**
   * Records that the engine's state has the objects for this resource.
   *
   * @returns false when another resource's delete removed one of them in this run, so that it must be made again.
   */
  noteHeld(objects: Objects, identity: string | undefined): boolean {
    this.noteAll("held", listOf(objects), identity);
    const isRemoved = ({ removals, removed }: ClaimedObject) => removals.size > 0 || removed > 0;
    return listOf(objects).every((object) => {
      const [own, ...others] = this.alike(object);
      if (own.is("made")) return own.removals.size === 0;
      return !isRemoved(own) && !others.some((each) => isRemoved(each) && !each.is("made"));
    });
  }

  /**
   * Records that an import, or a read of an id from the program, found the objects. When the id is a different spelling of the
   * one in the state, the engine takes them for another resource's, and deletes its older record at the end of the run.
   */
  noteFound(objects: Objects, identity: string | undefined): void {
    this.noteAll("found", listOf(objects), identity);
  }

  /** Records that a resource gives up objects of the engine's state: its replacement deletes them. */
  noteGivenUp(objects: Objects, identity: string | undefined): void {
    this.noteAll("leaves", listOf(objects), identity);
  }

  /**
   * Records that a create or update of a resource begins. A later delete with the same identity belongs to another resource.
   */
  noteCreateBegun(objects: Objects, identity: string | undefined): void {
    this.noteAll("making", listOf(objects), identity);
  }

  /** Records that a create or update made the objects, or may have made them. */
  noteCreated(objects: Objects, identity: string | undefined): void {
    this.noteAll("made", listOf(objects), identity);
  }

  /**
   * Makes objects, and makes them again when another resource's delete removes one at the same time.
   *
   * @param ensure makes the objects unless they exist.
   * @param wait is called between the checks of whether another delete has ended.
   */
  async make<T>(
    objects: Objects,
    identity: string | undefined,
    ensure: () => Promise<T>,
    wait: () => Promise<void>,
  ): Promise<T> {
    const removals = () => {
      const all = listOf(objects).flatMap((object) => this.alike(object));
      return { running: all.some((each) => each.removals.size > 0), ended: all.map((each) => each.removed).join() };
    };
    this.noteCreateBegun(objects, identity);
    for (;;) {
      const before = removals().ended;
      const result = await ensure();
      this.noteCreated(objects, identity);
      const { running, ended } = removals();
      if (!running && ended === before) return result;
      while (removals().running) await wait();
    }
  }

  /** Returns the other resources that hold or declare an object. Those that have it come first. */
  others(object: CloudObject, identity = UNKNOWN_IDENTITY): (Claimant & { holds: boolean })[] {
    return othersOf(this.find(object), identity)
      .filter(([, claim]) => holds(claim) || claim.declared)
      .map((other) => ({ ...claimantOf(other), holds: holds(other[1]) }))
      .sort((left, right) => Number(right.holds) - Number(left.holds));
  }

  /**
   * Decides what a delete does with its objects, and does it. If another resource has the first one, the whole, all stay. Of the
   * others, those stay that another resource has.
   */
  async remove(all: Objects, identity = UNKNOWN_IDENTITY, removal: Removal): Promise<Decision> {
    // This precedes the decision, so that the later of two concurrent deletes removes the objects.
    this.noteAll("leaves", listOf(all), identity);
    const planned = this.decide(listOf(all), identity, removal);
    if (planned.kind !== "remove" || planned.objects.length === 0) return planned;
    const id = randomUUID();
    this.noteAll("removing", planned.objects, id);
    // After a failure an object may be gone or not, so a resource that declares it must check.
    let end: FactKind = "removed";
    try {
      // A resource may have made an object since then, without seeing this removal.
      const decision = this.decide(planned.objects, identity, { ...removal, isStarted: true });
      if (decision.kind === "remove" && decision.objects.length > 0) await removal.remove(decision.objects);
      else end = "kept";
      return decision;
    } catch (error) {
      if (effectOf(error) === "none") end = "kept";
      throw error;
    } finally {
      this.noteAll(end, planned.objects, id);
    }
  }

  private decide(
    objects: readonly CloudObject[],
    identity: string,
    how: Omit<Removal, "remove"> & { isStarted?: boolean },
  ): Decision {
    const removed: CloudObject[] = [];
    for (const [index, object] of objects.entries()) {
      const decision = this.decideOne(object, identity, how);
      // After its start, a removal removes what others declare and have not made: they see it, and make the object again.
      if (decision === "remove" || (decision.kind === "declared" && how.isStarted)) removed.push(object);
      else if (!isLeft(decision) || index === 0) return decision;
    }
    return { kind: "remove", objects: removed };
  }

  private decideOne(
    object: CloudObject,
    identity: string,
    { createAdopts = false, whyUnclear }: Omit<Removal, "remove">,
  ): Exclude<Decision, { kind: "remove" }> | "remove" {
    const claimed = this.find(object);
    const others = othersOf(claimed, identity);
    const own = identity === UNKNOWN_IDENTITY ? undefined : claimed.claims.get(identity);
    const self: Claimant = { identity };
    const holder = others.find(([, claim]) => holds(claim));
    if (holder) return { kind: "held", by: claimantOf(holder) };
    if (own?.made) return { kind: "held", by: self };
    // When a create began and did not make the object, only another resource with this name can have it.
    if (own?.making) return { kind: "declared", by: self };
    if (identity !== UNKNOWN_IDENTITY && claimed.current.has(identity)) return { kind: "own" };
    if (createAdopts && own?.declared) return { kind: "held", by: self };
    const declaring = others.find(([, { declared }]) => declared);
    // This resource is deleted before its replacement is created. The other resources may still be created, and then they make
    // the object again.
    if (declaring && !this.isStillToMake(identity)) return { kind: "declared", by: claimantOf(declaring) };
    const unclear = this.otherSpelling(object, identity, true);
    if (unclear) return { kind: "unknown", why: whyUnclear(unclear) };
    const { problem } = this.log;
    return problem === undefined ? "remove" : { kind: "unknown", why: problem };
  }

  /** Whether a resource declares objects and has not begun to make them. */
  private isStillToMake(identity: string): boolean {
    const claims = [...(this.declared.get(identity) ?? [])].flatMap((each) => each.claims.get(identity) ?? []);
    return claims.length > 0 && claims.every(({ making, made }) => !making && !made);
  }

  private noteAll(kind: FactKind, objects: readonly CloudObject[], by = UNKNOWN_IDENTITY): void {
    for (const object of objects) {
      const fact = { kind, by, ...keyOfFact(object) };
      if (this.log.append(fact)) continue;
      // What is not in the log counts after all that is. What is in it counts when a question about the claims is asked.
      this.learn();
      this.apply(fact);
    }
  }

  private learn(): void {
    const facts = this.log.facts();
    while (this.learned < facts.length) this.apply(facts[this.learned++] as Fact);
  }

  private apply({ kind, by, object, project }: Fact): void {
    const claimed = this.claimedOf(object, project);
    if (kind === "removing") {
      // The delete leaves an object that a resource has made.
      if (!claimed.is("made")) claimed.removals.add(by);
    } else if (kind === "removed" || kind === "kept") {
      if (claimed.removals.delete(by) && kind === "removed") claimed.removed++;
    } else if (kind === "found") {
      claimed.current.add(by);
    } else if (kind === "leaves") {
      // The delete of an older record does not change what the newest one has.
      if (!claimed.current.has(by)) claimed.of(by).held = false;
    } else if (kind === "declared" || kind === "declared more") {
      this.applyDeclared(claimed, by, kind === "declared");
    } else if (kind === "held" || claimed.of(by).declared) {
      // A create without a check is not part of this run's program, so no delete needs to leave its object.
      claimed.of(by)[kind] = true;
      if (kind === "held" && claimed.of(by).declared) claimed.current.add(by);
    }
  }

  /** @param isFirst whether the resource no longer declares what it declared before. */
  private applyDeclared(claimed: ClaimedObject, by: string, isFirst: boolean): void {
    const isKnown = by !== UNKNOWN_IDENTITY;
    const all = this.declared.get(by) ?? new Set();
    if (isFirst && isKnown) {
      for (const each of all) {
        each.of(by).declared = false;
        each.current.delete(by);
      }
      all.clear();
    }
    claimed.of(by).declared = true;
    claimed.current.delete(by);
    if (isKnown) this.declared.set(by, all.add(claimed));
  }

  /** The current claims on an object. */
  private find(object: CloudObject): ClaimedObject {
    this.learn();
    const { object: path, project } = keyOfFact(object);
    return this.claimedOf(path, project);
  }

  /** The claims on an object, then those on objects that may be the same one, because their names spell the project differently. */
  private alike(object: CloudObject): [ClaimedObject, ...ClaimedObject[]] {
    const own = this.find(object);
    const all = [...(this.objects.get(keyOfFact(object).object)?.values() ?? [])];
    return [own, ...all.filter((each) => areSpelledDifferently(each.project, own.project))];
  }

  /** The paths of the objects that contain an object and, if all of it counts, of the object itself and of those in it. */
  private around(object: CloudObject, all: boolean): string[] {
    this.learn();
    const { object: path } = keyOfFact(object);
    return [...containersOf(path), ...(all ? [path, ...(this.inside.get(path) ?? [])] : [])];
  }

  private claimedOf(path: string, project: string): ClaimedObject {
    let spellings = this.objects.get(path);
    if (!spellings) {
      spellings = new Map();
      this.objects.set(path, spellings);
      for (const container of containersOf(path)) {
        getOrCompute(this.inside, container, () => new Set<string>()).add(path);
      }
    }
    return getOrCompute(spellings, project, () => new ClaimedObject(project));
  }
}

function listOf(objects: Objects): readonly CloudObject[] {
  return "url" in objects ? [objects] : objects;
}

/** Whether a decision on one object leaves it in the cloud without an error. */
function isLeft({ kind }: Decision): boolean {
  return kind === "held" || kind === "own";
}

function claimantOf([identity]: [string, Claim]): Claimant {
  return { identity: identity === UNKNOWN_IDENTITY ? undefined : identity };
}

/** The reason for keeping an object, as the end of a message. @param what the kind of the object: "grant". */
export function whoDeclaresItIsUnknown(what: string, why: string): string {
  return `it is unknown whether another resource of this program has or declares the same ${what}: ${why}`;
}

/** Advice for a delete that keeps an object: what to do if another resource has it. */
export function forgetAdvice(identity = "<urn>"): string {
  return `If another resource has it, remove this resource from the state only: pulumi state delete '${identity}'`;
}
