import { keptIn } from "./once";
import { randomUUID } from "node:crypto";
import { projectOf, sameProject, withProject, type CloudObject } from "./reference";
import {
  ALONE,
  containersOf,
  FORGOTTEN,
  keyOfFact,
  pathOf,
  type EarlyRemovals,
  type Fact,
  type FactKind,
  type FactLog,
} from "./facts";

/** An unknown identity of a resource. It equals no other identity, not even itself. */
export const UNKNOWN_IDENTITY = "";

/** A resource that holds or declares an object. */
export interface Claimant {
  /** The identity of the resource; undefined when it is unknown. */
  readonly identity: string | undefined;
}

/** The object of a resource, or its objects: then the first is the resource as a whole, and the others are parts of it. */
export type Objects = CloudObject | readonly CloudObject[];

/** A resource that declares an object beside which another object cannot exist. */
export interface Rival extends Claimant {
  /** The name of the cloud resource, as the rival spells it: the project may be an id or a number. */
  readonly name: string;
  /** The depth of the declared object in the resource: 0 is the resource itself. */
  readonly depth: number;
}

/**
 * What a delete does. It removes these objects (`remove`), or leaves all because a resource has them (`held`). Or it fails,
 * because another resource declares an object and was not created (`declared`), or because it is `unknown` whether another
 * resource declares the objects. Removing an object would take it from that resource. Dropping only the state would leave an object
 * in the cloud that no state contains.
 */
export type Decision =
  | { readonly kind: "remove"; readonly objects: readonly CloudObject[] }
  | { readonly kind: "held"; readonly by: Claimant }
  | { readonly kind: "declared"; readonly by: Claimant }
  | { readonly kind: "unknown"; readonly why: string };

/** How a delete removes objects. */
export interface Removal {
  /** Whether a name that differs only in the spelling of its project belongs to the same resource. */
  isSame(name: string): Promise<boolean>;
  /** Removes these objects from the cloud, under the resource's own name. */
  remove(objects: readonly CloudObject[]): Promise<void>;
  /**
   * Whether a create takes over an existing object. Then the object stays when the resource itself declares it and will still be
   * created.
   */
  createAdopts?: boolean;
}

/** The facts of one resource about one object. */
type Claim = Record<"declared" | "held" | "making" | "made", boolean>;

/** An object with the claims on it. */
class Claimed {
  /** By the identity of the resource. */
  readonly claims = new Map<string, Claim>();
  /** The ids of the removals in progress. */
  readonly removals = new Set<string>();
  /** The number of completed removals. */
  removed = 0;

  constructor(readonly project: string) {}

  of(identity: string): Claim {
    return keptIn(this.claims, identity, () => ({ declared: false, held: false, making: false, made: false }));
  }

  is(what: keyof Claim): boolean {
    return [...this.claims.values()].some((claim) => claim[what]);
  }
}

/**
 * Records which resources of this run declare, hold and make which objects in the cloud, and which objects are being removed.
 * An engine calls the provider for one resource at a time, so a delete uses these records to find other resources that declare
 * the object.
 *
 * A resource can have several objects: a role binding, and each of its grants. Objects can be in each other: a grant is in a role,
 * and the role in a policy.
 *
 * The claims follow from the facts of the run, which have the same order in all of its processes. A create records its objects
 * after making them, and a delete records its objects before removing them. So the later of the two sees the other.
 */
export class Claims {
  /** By the object's path, then by the project's spelling. */
  private readonly objects = new Map<string, Map<string, Claimed>>();
  /** The paths of the objects in an object, at any depth, by its path. */
  private readonly inside = new Map<string, Set<string>>();
  /**
   * The objects that each resource declares. Engines check a resource again when its inputs change, so the newest objects count.
   */
  private readonly declared = new Map<string, Set<Claimed>>();
  /** The number of the log's facts that are applied here. */
  private learned = 0;

  /**
   * @param log shared with the other provider processes of the run. Default: there are none.
   * @param early outlives the run. Default: it is forgotten.
   */
  constructor(
    private readonly log: FactLog = ALONE,
    private readonly early: EarlyRemovals = FORGOTTEN,
  ) {}

  /** A resource passed its check. It now declares these objects, and no longer those that it declared before. */
  declare(objects: Objects, identity: string | undefined): void {
    for (const [index, object] of listOf(objects).entries())
      this.note(index === 0 ? "declared" : "also declared", object, identity);
    this.learn();
  }

  /** Whether a resource declares an object, under exactly this name. */
  declares(object: CloudObject, { identity = UNKNOWN_IDENTITY }: Claimant): boolean {
    return this.find(object).claims.get(identity)?.declared ?? false;
  }

  /**
   * Finds the other resources that cannot exist beside the owner of an object: those that declare an object which contains it. The
   * name of a rival may spell the project in another way: then it may belong to another resource.
   *
   * @param alone whether the owner declares all that the object contains. Then those that declare the object itself, or an object
   *   in it, are rivals, too.
   */
  rivals(object: CloudObject, { alone }: { alone: boolean }, identity = UNKNOWN_IDENTITY): Rival[] {
    this.learn();
    const path = pathOf(object);
    const paths = [...containersOf(path), ...(alone ? [path, ...(this.inside.get(path) ?? [])] : [])];
    return paths.flatMap((each) => {
      const depth = containersOf(each).length;
      return this.spelled([each], object).flatMap((claimed) =>
        othersOf(claimed, identity)
          .filter(([, { declared }]) => declared)
          .map((other) => ({ ...claimantOf(other), name: withProject(object.name, claimed.project), depth })),
      );
    });
  }

  /**
   * Records that the engine's state has the objects for this resource.
   *
   * @returns false when another resource's delete removed one of them, in this run or in one that ended early, so that it must
   *   be made again.
   */
  hold(objects: Objects, identity: string | undefined): boolean {
    for (const object of listOf(objects)) this.note("held", object, identity);
    return listOf(objects).every((object) => {
      const own = this.find(object);
      if (own.is("made")) return own.removals.size === 0;
      // The delete may have removed it under the other spelling of the project, before anything showed that both are one.
      const all = this.spelled([pathOf(object)], object);
      const isRemoved = ({ removals, removed }: Claimed) => removals.size > 0 || removed > 0;
      return (
        !isRemoved(own) &&
        !all.some((each) => isRemoved(each) && !each.is("made")) &&
        !this.early.has(keyOfFact(object))
      );
    });
  }

  /**
   * Records that a create or update of a resource begins. A later delete with the same identity belongs to another resource.
   */
  making(objects: Objects, identity: string | undefined): void {
    for (const object of listOf(objects)) this.note("making", object, identity);
  }

  /** Records that a create or update made the objects, or may have made them. */
  made(objects: Objects, identity: string | undefined): void {
    for (const object of listOf(objects)) this.note("made", object, identity);
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
      this.learn();
      const all = listOf(objects).flatMap((object) => this.spelled([pathOf(object)], object));
      return { running: all.some((each) => each.removals.size > 0), ended: all.map((each) => each.removed).join() };
    };
    this.making(objects, identity);
    for (;;) {
      const before = removals().ended;
      const result = await ensure();
      this.made(objects, identity);
      const { running, ended } = removals();
      if (!running && ended === before) {
        for (const object of listOf(objects)) this.early.settle(keyOfFact(object));
        return result;
      }
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
   * The names of the cloud resource under which one of the objects is claimed, where they spell the project differently: by other
   * resources, or by this one after a change of its inputs.
   */
  otherNames(objects: readonly CloudObject[], identity = UNKNOWN_IDENTITY): string[] {
    this.learn();
    const isClaim = ([by, claim]: [string, Claim]) => claim.declared || claim.made || (claim.held && by !== identity);
    const names = objects.flatMap((object) =>
      this.spelled([pathOf(object)], object)
        .filter(({ project }) => project !== projectOf(object.name))
        .filter(({ claims }) => [...claims].some(isClaim))
        .map(({ project }) => withProject(object.name, project)),
    );
    return [...new Set(names)];
  }

  /**
   * Decides what a delete does with its objects, and does it. If another resource has the first one, the whole, all stay. Of the
   * others, those stay that another resource has.
   */
  async remove(all: Objects, identity = UNKNOWN_IDENTITY, removal: Removal): Promise<Decision> {
    const objects = listOf(all);
    const names = [objects[0]?.name ?? ""];
    const others = new Set<string>();
    const findNames = async () => {
      for (const name of this.otherNames(objects, identity)) {
        if (others.has(name)) continue;
        others.add(name);
        if (await removal.isSame(name)) names.push(name);
      }
    };
    await findNames();
    const spellings = (object: CloudObject) => names.map((name) => ({ ...object, name }));
    const noteAll = (kind: FactKind, all: readonly CloudObject[], by: string) => {
      for (const object of all.flatMap(spellings)) this.note(kind, object, by);
    };
    // This precedes the decision, so that the later of two concurrent deletes removes the objects.
    noteAll("leaves", objects, identity);
    const planned = this.decide(objects, spellings, identity, removal);
    if (planned.kind !== "remove" || planned.objects.length === 0) return planned;
    const id = randomUUID();
    const announced = [...names];
    noteAll("removing", planned.objects, id);
    try {
      // A resource may have made an object since then, without seeing this removal, and under a name that was not known yet.
      await findNames();
      const decision = this.decide(planned.objects, spellings, identity, { ...removal, isStarted: true });
      if (decision.kind !== "remove") return decision;
      if (this.isStillToMake(identity)) for (const each of decision.objects) this.early.note(keyOfFact(each));
      if (decision.objects.length > 0) await removal.remove(decision.objects);
      return decision;
    } finally {
      // After a failure an object may be gone or not, so a resource that declares it must check.
      for (const name of announced) for (const each of planned.objects) this.note("removed", { ...each, name }, id);
    }
  }

  private decide(
    objects: readonly CloudObject[],
    spellings: (object: CloudObject) => CloudObject[],
    identity: string,
    how: Pick<Removal, "createAdopts"> & { isStarted?: boolean },
  ): Decision {
    const removed: CloudObject[] = [];
    for (const [index, object] of objects.entries()) {
      const claimed = spellings(object).map((each) => this.find(each));
      const decision = this.decideOne(claimed, identity, how);
      // After its start, a removal removes what others declare and have not made: they see it, and make the object again.
      if (decision === "remove" || (decision.kind === "declared" && how.isStarted)) removed.push(object);
      else if (decision.kind !== "held" || index === 0) return decision;
    }
    return { kind: "remove", objects: removed };
  }

  private decideOne(
    claimed: readonly Claimed[],
    identity: string,
    { createAdopts = false }: Pick<Removal, "createAdopts">,
  ): Exclude<Decision, { kind: "remove" }> | "remove" {
    const others = claimed.flatMap((each) => othersOf(each, identity));
    const own = claimed.flatMap((each) => each.claims.get(identity) ?? []).filter(() => identity !== UNKNOWN_IDENTITY);
    const self: Claimant = { identity };
    const holder = others.find(([, claim]) => holds(claim));
    if (holder) return { kind: "held", by: claimantOf(holder) };
    if (own.some(({ made }) => made)) return { kind: "held", by: self };
    // When a create began and did not make the object, only another resource with this name can have it.
    if (own.some(({ making }) => making)) return { kind: "declared", by: self };
    if (createAdopts && own.some(({ declared }) => declared)) return { kind: "held", by: self };
    const declaring = others.find(([, { declared }]) => declared);
    // This resource is deleted before its replacement is created. The other resources may still be created, and then they make
    // the object again.
    if (declaring && !this.isStillToMake(identity)) return { kind: "declared", by: claimantOf(declaring) };
    const { problem } = this.log;
    return problem === undefined ? "remove" : { kind: "unknown", why: problem };
  }

  /** Whether a resource declares objects and has not begun to make them. */
  private isStillToMake(identity: string): boolean {
    const claims = [...(this.declared.get(identity) ?? [])].flatMap((each) => each.claims.get(identity) ?? []);
    return claims.length > 0 && claims.every(({ making, made }) => !making && !made);
  }

  private note(kind: FactKind, object: CloudObject, by = UNKNOWN_IDENTITY): void {
    const fact = { kind, by, ...keyOfFact(object) };
    if (!this.log.append(fact)) this.apply(fact);
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
    } else if (kind === "removed") {
      if (!claimed.removals.delete(by)) return;
      claimed.removed++;
    } else if (kind === "leaves") {
      claimed.of(by).held = false;
    } else if (kind === "declared" || kind === "also declared") {
      this.noteDeclared(claimed, by, kind === "declared");
    } else if (kind === "held" || claimed.of(by).declared) {
      // A create without a check is not part of this run's program, so no delete needs to leave its object.
      claimed.of(by)[kind] = true;
    }
  }

  /** @param isFirst whether the resource no longer declares what it declared before. */
  private noteDeclared(claimed: Claimed, by: string, isFirst: boolean): void {
    const isKnown = by !== UNKNOWN_IDENTITY;
    const all = this.declared.get(by) ?? new Set();
    if (isFirst && isKnown) {
      for (const each of all) each.of(by).declared = false;
      all.clear();
    }
    claimed.of(by).declared = true;
    if (isKnown) this.declared.set(by, all.add(claimed));
  }

  /** The current claims on an object. */
  private find(object: CloudObject): Claimed {
    this.learn();
    return this.claimedOf(pathOf(object), projectOf(object.name));
  }

  /** The claims on the objects of these paths whose project may be that of the object. */
  private spelled(paths: readonly string[], { name }: CloudObject): Claimed[] {
    const project = projectOf(name);
    return paths
      .flatMap((path) => [...(this.objects.get(path)?.values() ?? [])])
      .filter((each) => sameProject(each.project, project));
  }

  private claimedOf(path: string, project: string): Claimed {
    let spellings = this.objects.get(path);
    if (!spellings) {
      spellings = new Map();
      this.objects.set(path, spellings);
      for (const container of containersOf(path)) {
        keptIn(this.inside, container, () => new Set<string>()).add(path);
      }
    }
    return keptIn(spellings, project, () => new Claimed(project));
  }
}

function listOf(objects: Objects): readonly CloudObject[] {
  return "url" in objects ? [objects] : objects;
}

/** The claims of all other resources. */
function othersOf({ claims }: Claimed, identity: string): [string, Claim][] {
  return [...claims].filter(([by]) => by !== identity || by === UNKNOWN_IDENTITY);
}

function holds({ held, made }: Claim): boolean {
  return held || made;
}

function claimantOf([identity]: [string, Claim]): Claimant {
  return { identity: identity === UNKNOWN_IDENTITY ? undefined : identity };
}

/** The reason for keeping an object, as the end of a message. @param what the kind of the object: "grant". */
export function whoDeclaresItIsUnknown(what: string, why: string): string {
  return `it is unknown whether another resource of this program declares the same ${what}: ${why}`;
}
