import { createHash, randomUUID } from "node:crypto";
import { keyOf, projectOf, withProject, type CloudObject, type CloudResource } from "./cloud-object";
import { sameProject } from "./reference";

/**
 * What a resource of the program does with an object in the cloud. `wants`: its check passed. `has`: the engine's state
 * has it. `tries`, then perhaps `made`: a create or update after the check makes it. `leaves`: its delete began.
 * `removing`, then `removed`: a delete removes the object from the cloud.
 */
export const FACT_KINDS = ["wants", "has", "tries", "made", "leaves", "removing", "removed"] as const;
export type FactKind = (typeof FACT_KINDS)[number];

export interface Fact {
  readonly kind: FactKind;
  /** The identity of the resource, or `UNKNOWN_IDENTITY`. For a removal, the id of the removal. */
  readonly by: string;
  /** The object without its project, as a hash: it may contain what the program keeps secret. */
  readonly object: string;
  /** The project as the object's name spells it: an id or a number, or "" when the name has no project. */
  readonly project: string;
}

/** The facts of one run, in one order for all of the run's provider processes. */
export interface FactLog {
  /** @returns whether `facts` now contains the fact, here and in the other processes. */
  append(fact: Fact): boolean;
  /** The facts of all processes, those of this process included. The list only grows. */
  facts(): readonly Fact[];
  /** Why facts of other processes may be missing, and what to do about it. Undefined while none is missing. */
  readonly problem?: string | undefined;
}

/** The log of a provider that is the only one of its run. */
const ALONE: FactLog = { append: () => false, facts: () => [] };

/** The facts of a run whose providers are all in this process. */
export class SharedFacts implements FactLog {
  private readonly list: Fact[] = [];

  append(fact: Fact): boolean {
    return this.list.push(fact) > 0;
  }

  facts(): readonly Fact[] {
    return this.list;
  }
}

/** An unknown identity of a resource. It equals no other identity, not even itself. */
export const UNKNOWN_IDENTITY = "";

const PART = "\u001f";

/**
 * The identity for one of several objects of a resource, such as a grant of a role binding. It belongs to the resource, and
 * messages name the resource.
 */
export function partIdentity(identity: string | undefined, part: string): string | undefined {
  if (identity === undefined || identity === UNKNOWN_IDENTITY) return identity;
  return identity + PART + createHash("sha256").update(part).digest("base64url");
}

/** The resource of an identity. */
function ownerOf(identity: string): string {
  return identity.split(PART)[0] ?? identity;
}

/** A resource that has or wants an object. */
export interface Claimant {
  /** The identity of the resource; undefined when it is unknown. */
  readonly identity: string | undefined;
}

/**
 * What a delete does. It removes the object (`remove`), or leaves it because a resource has it (`held`). Or it fails, because
 * another resource declares the object and was not created (`declared`), or because it is `unknown` whether another resource
 * wants the object. Removing the object would take it from that resource. Dropping only the state would leave an object in the
 * cloud that no state contains.
 */
export type Decision =
  | { readonly kind: "remove" }
  | { readonly kind: "held"; readonly by: Claimant }
  | { readonly kind: "declared"; readonly by: Claimant }
  | { readonly kind: "unknown"; readonly why: string };

/** How a delete removes an object. */
export interface Removal {
  /** Whether a name that differs only in the spelling of its project belongs to the same resource. */
  isSame(name: string): Promise<boolean>;
  /** Removes the object from the cloud. */
  remove(): Promise<void>;
  /**
   * Whether a create takes over an existing object. Then the object stays when the resource itself wants it and will still be
   * created.
   */
  isTakenOver?: boolean;
}

/** The facts of one resource about one object. */
type Claim = Record<"wants" | "has" | "tries" | "made", boolean>;

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
    const claim = this.claims.get(identity) ?? { wants: false, has: false, tries: false, made: false };
    this.claims.set(identity, claim);
    return claim;
  }

  is(what: keyof Claim): boolean {
    return [...this.claims.values()].some((claim) => claim[what]);
  }
}

/** A part of a cloud resource that resources of this process want, such as a grant in its policy. */
export interface Declared {
  readonly part: string;
  readonly claimed: Claimed;
}

/**
 * Records which resources of this run want, have and made which objects in the cloud, and which objects are being removed.
 * An engine calls the provider for one resource at a time, so a delete uses these records to find other resources that want
 * the object.
 *
 * The claims follow from the facts of the run, which have the same order in all of its processes. A create records its object
 * after making it, and a delete records the object before removing it. So the later of the two sees the other.
 */
export class Claims {
  /** By the object without its project, then by the project's spelling. */
  private readonly objects = new Map<string, Map<string, Claimed>>();
  /**
   * The object that each resource wants. Engines check a resource again when its inputs change, so the newest object counts.
   */
  private readonly wanted = new Map<string, Claimed>();
  /** The objects that resources of this process declare, by the cloud resource. */
  private readonly declarations = new Map<string, Declared[]>();
  /** The number of the log's facts that are applied here. */
  private learned = 0;

  /** @param log shared with the other provider processes of the run. Default: there are none. */
  constructor(private readonly log: FactLog = ALONE) {}

  /** A resource passed its check. It now wants this object, and no longer the object that it wanted before. */
  declare(object: CloudObject, identity: string | undefined): void {
    this.note("wants", object, identity);
    const claimed = this.find(object);
    const key = keyOf({ url: object.url, name: object.name });
    const list = this.declarations.get(key) ?? [];
    this.declarations.set(key, list);
    if (!list.some((each) => each.claimed === claimed)) list.push({ part: object.part ?? "", claimed });
  }

  /**
   * The wanted parts of a cloud resource, each once, in the order of their declaration in this process. As long as all of
   * them are wanted, every call returns the same list, which only grows: a caller can continue where it stopped.
   */
  declaredOn({ url, name }: CloudResource): readonly Declared[] {
    this.learn();
    return this.declarations.get(keyOf({ url, name })) ?? [];
  }

  /** Finds another resource that wants another part of the same cloud resource. */
  rival(object: CloudObject, identity = UNKNOWN_IDENTITY): Claimant | undefined {
    const parts = this.declaredOn(object).filter(({ part }) => part !== (object.part ?? ""));
    return parts.map(({ claimed }) => wanterOf(claimed, identity)).find((rival) => rival !== undefined);
  }

  /** Another resource of the program that wants this object. A resource of unknown identity may be the same one. */
  wantedBy(object: CloudObject, identity: string | undefined): Claimant | undefined {
    return identity === undefined ? undefined : wanterOf(this.find(object), identity);
  }

  /** Records that a resource gives the object up, and no longer keeps the deletes of others from removing it. */
  leaves(object: CloudObject, identity: string | undefined): void {
    this.note("leaves", object, identity);
  }

  /**
   * Records that the engine's state has the object for this resource.
   *
   * @returns false when another resource's delete removed the object in this run, so that it must be made again.
   */
  hold(object: CloudObject, identity: string | undefined): boolean {
    this.note("has", object, identity);
    const claimed = this.find(object);
    return claimed.removals.size === 0 && (claimed.removed === 0 || claimed.is("made"));
  }

  /**
   * Records that a create or update of a resource begins. A later delete with the same identity belongs to another resource.
   */
  making(object: CloudObject, identity: string | undefined): void {
    this.note("tries", object, identity);
  }

  /** Records that a create or update made the object, or may have made it. */
  made(object: CloudObject, identity: string | undefined): void {
    this.note("made", object, identity);
  }

  /**
   * Makes an object, and makes it again when another resource's delete removes it at the same time.
   *
   * @param ensure makes the object unless it exists.
   * @param wait is called between the checks of whether another delete has ended.
   */
  async make<T>(
    object: CloudObject,
    identity: string | undefined,
    ensure: () => Promise<T>,
    wait: () => Promise<void>,
  ): Promise<T> {
    this.making(object, identity);
    for (;;) {
      const before = this.find(object).removed;
      const result = await ensure();
      this.made(object, identity);
      const { removals, removed } = this.find(object);
      if (removals.size === 0 && removed === before) return result;
      while (this.find(object).removals.size > 0) await wait();
    }
  }

  /** Returns the other resources that have or want an object. Those that have it come first. */
  others(object: CloudObject, identity = UNKNOWN_IDENTITY): (Claimant & { holds: boolean })[] {
    return othersOf(this.find(object), identity)
      .filter(([, claim]) => holds(claim) || claim.wants)
      .map((other) => ({ ...claimantOf(other), holds: holds(other[1]) }))
      .sort((left, right) => Number(right.holds) - Number(left.holds));
  }

  /** Decides what a delete does with its object, and does it. */
  async remove(object: CloudObject, identity = UNKNOWN_IDENTITY, removal: Removal): Promise<Decision> {
    const names = [object, ...(await this.otherNames(object, identity, removal))];
    const decide = () =>
      this.decide(
        names.map((name) => this.find(name)),
        identity,
        removal,
      );
    // This precedes the decision, so that the later of two concurrent deletes removes the object.
    for (const name of names) this.note("leaves", name, identity);
    const planned = decide();
    if (planned.kind !== "remove") return planned;
    const id = randomUUID();
    for (const name of names) this.note("removing", name, id);
    try {
      // A resource may have made the object since then, without seeing this removal.
      const decision = decide();
      if (decision.kind === "remove" || decision.kind === "declared") {
        await removal.remove();
        return { kind: "remove" };
      }
      return decision;
    } finally {
      // After a failure the object may be gone or not, so a resource that wants it must check.
      for (const name of names) this.note("removed", name, id);
    }
  }

  /** Finds the other names that other resources use for the object, which differ in the spelling of the project. */
  private async otherNames(object: CloudObject, identity: string, { isSame }: Removal): Promise<CloudObject[]> {
    const { project } = this.find(object);
    const same: CloudObject[] = [];
    for (const other of this.objects.get(hashOf(object))?.values() ?? []) {
      const isClaimed = othersOf(other, identity).some(([, claim]) => holds(claim) || claim.wants);
      if (other.project === project || !sameProject(other.project, project) || !isClaimed) continue;
      const name = withProject(object.name, other.project);
      if (await isSame(name)) same.push({ ...object, name });
    }
    return same;
  }

  private decide(objects: readonly Claimed[], identity: string, { isTakenOver = false }: Removal): Decision {
    const others = objects.flatMap((each) => othersOf(each, identity));
    const own = objects.flatMap((each) => each.claims.get(identity) ?? []).filter(() => identity !== UNKNOWN_IDENTITY);
    const self: Claimant = { identity };
    const holder = others.find(([, claim]) => holds(claim));
    if (holder) return { kind: "held", by: claimantOf(holder) };
    if (own.some(({ made }) => made)) return { kind: "held", by: self };
    // When a create began and did not make the object, only another resource with this name can have it.
    if (own.some(({ tries }) => tries)) return { kind: "declared", by: self };
    if (isTakenOver && own.some(({ wants }) => wants)) return { kind: "held", by: self };
    const wanting = others.find(([, { wants }]) => wants);
    // This resource is deleted before its replacement is created. The other resources may still be created, and then they make
    // the object again.
    if (wanting && !this.isStillToMake(identity)) return { kind: "declared", by: claimantOf(wanting) };
    const { problem } = this.log;
    return problem === undefined ? { kind: "remove" } : { kind: "unknown", why: problem };
  }

  /** Whether a resource wants an object and has not begun to make it. */
  private isStillToMake(identity: string): boolean {
    const claim = this.wanted.get(identity)?.claims.get(identity);
    return claim !== undefined && !claim.tries && !claim.made;
  }

  private note(kind: FactKind, object: CloudObject, by = UNKNOWN_IDENTITY): void {
    const fact = { kind, by, object: hashOf(object), project: projectOf(object.name) };
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
      claimed.of(by).has = false;
    } else if (kind === "wants") {
      this.want(claimed, by);
    } else if (kind === "has" || claimed.of(by).wants) {
      // A create without a check is not part of this run's program, so no delete needs to leave its object.
      claimed.of(by)[kind] = true;
    }
  }

  private want(claimed: Claimed, by: string): void {
    claimed.of(by).wants = true;
    if (by === UNKNOWN_IDENTITY) return;
    const before = this.wanted.get(by);
    this.wanted.set(by, claimed);
    if (!before || before === claimed) return;
    before.of(by).wants = false;
    if (before.is("wants")) return;
    for (const [key, list] of this.declarations) {
      if (list.some((each) => each.claimed === before))
        this.declarations.set(
          key,
          list.filter((each) => each.claimed !== before),
        );
    }
  }

  /** The current claims on an object. */
  private find(object: CloudObject): Claimed {
    this.learn();
    return this.claimedOf(hashOf(object), projectOf(object.name));
  }

  private claimedOf(object: string, project: string): Claimed {
    const spellings = this.objects.get(object) ?? new Map<string, Claimed>();
    const claimed = spellings.get(project) ?? new Claimed(project);
    this.objects.set(object, spellings.set(project, claimed));
    return claimed;
  }
}

function hashOf(object: CloudObject): string {
  const key = keyOf({ ...object, name: withProject(object.name, "") });
  return createHash("sha256").update(key).digest("base64url");
}

/** The claims of all other resources. */
function othersOf({ claims }: Claimed, identity: string): [string, Claim][] {
  return [...claims].filter(([by]) => ownerOf(by) !== ownerOf(identity) || by === UNKNOWN_IDENTITY);
}

/** Another resource that wants the object. */
function wanterOf(claimed: Claimed, identity: string): Claimant | undefined {
  const other = othersOf(claimed, identity).find(([, { wants }]) => wants);
  return other && claimantOf(other);
}

function holds({ has, made }: Claim): boolean {
  return has || made;
}

function claimantOf([identity]: [string, Claim]): Claimant {
  return { identity: identity === UNKNOWN_IDENTITY ? undefined : ownerOf(identity) };
}

/** The reason for keeping an object, as the end of a message. @param what the kind of the object: "grant". */
export function whoWantsItIsUnknown(what: string, why: string): string {
  return `it is unknown whether another resource of this program declares the same ${what}: ${why}`;
}
