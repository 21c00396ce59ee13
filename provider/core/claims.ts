import { createHash, randomUUID } from "node:crypto";
import { keyOf, projectOf, withProject, type CloudObject, type CloudResource } from "./cloud-object";
import { sameProject } from "./reference";

/**
 * What a resource of the program does with an object in the cloud. `wants`: its check passed. `has`: the engine's state
 * has it. `tries`, then perhaps `made`: a create or update after the check makes it. `leaves`: its delete began.
 * `removing`, then `removed`: a delete takes the object away from the cloud.
 */
export const FACT_KINDS = ["wants", "has", "tries", "made", "leaves", "removing", "removed"] as const;
export type FactKind = (typeof FACT_KINDS)[number];

export interface Fact {
  readonly kind: FactKind;
  /** What the engine calls the resource, `UNKNOWN_IDENTITY` where nobody knows; of a removal, its id. */
  readonly by: string;
  /** The object without its project, as a hash: it may contain what the program keeps secret. */
  readonly object: string;
  /** The project as the object's name spells it, an id or a number; "" where the name has none. */
  readonly project: string;
}

/** The facts of one run, in one order for all of the run's provider processes. */
export interface FactLog {
  /** @returns whether `facts` has the fact from now on, here and in the other processes. */
  append(fact: Fact): boolean;
  /** The facts of all processes, those of this process included. The list only grows. */
  facts(): readonly Fact[];
  /** Why facts of other processes may be missing, and what to do about it; undefined as long as none is. */
  readonly problem?: string | undefined;
}

/** For a provider that is the only one of its run. */
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

/** The identity of a resource that nobody knows. It equals no other identity, not even itself. */
export const UNKNOWN_IDENTITY = "";

/** Another resource that has or wants an object. */
export interface Other {
  /** What the engine calls it; undefined where nobody knows. */
  readonly identity: string | undefined;
}

/**
 * What a delete does: `remove` the object; leave it, because it is `held` by a resource; or refuse, because another
 * resource has `declared` it and was not made, or because it is `unknown` who else wants it. To remove the object would
 * take it from that resource; to drop only the state would leave it in the cloud with nobody to remember it.
 */
export type Decision =
  | { readonly kind: "remove" }
  | { readonly kind: "held"; readonly by: Other }
  | { readonly kind: "declared"; readonly by: Other }
  | { readonly kind: "unknown"; readonly why: string };

/** How a delete takes an object away. */
export interface Removal {
  /** Whether the resource of another name, the same but for the spelling of its project, is the same. */
  isSame(name: string): Promise<boolean>;
  /** Takes the object away from the cloud. */
  remove(): Promise<void>;
  /**
   * Whether a create takes over an object that exists. Then the object stays where the resource itself wants it and its
   * create is still to come.
   */
  isTakenOver?: boolean;
}

/** What one resource does with one object: the kinds of its facts. */
type Claim = Record<"wants" | "has" | "tries" | "made", boolean>;

/** An object, and all that is known of it. */
class Claimed {
  /** By the identity of the resource. */
  readonly claims = new Map<string, Claim>();
  /** The ids of the removals that are under way. */
  readonly removals = new Set<string>();
  /** How many removals have ended. */
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
 * Which resources of this run want, have and made which objects in the cloud, and which objects are taken away. Engines
 * ask a provider about one resource at a time; this is where a delete finds out that another resource wants the object too.
 *
 * All of it follows from the run's facts in their order, which is the same in every process of the run. A create notes what
 * it made after it made it, and a delete what it removes before it removes it: the later one sees the other.
 */
export class Claims {
  /** By the object without its project, then by the project's spelling. */
  private readonly objects = new Map<string, Map<string, Claimed>>();
  /** What each resource wants. Engines check a resource again when its inputs change: its newest want counts. */
  private readonly wanted = new Map<string, Claimed>();
  /** What resources of this process declared, by the cloud resource. */
  private readonly declarations = new Map<string, Declared[]>();
  /** How many of the log's facts are known here. */
  private learned = 0;

  /** @param log shared with the other provider processes of the run. Default: there are none. */
  constructor(private readonly log: FactLog = ALONE) {}

  /** A resource's check passed: the program wants the object, and no longer what this resource wanted before. */
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

  /** Another resource that wants another part of the same cloud resource. */
  rival(object: CloudObject, identity = UNKNOWN_IDENTITY): Other | undefined {
    const parts = this.declaredOn(object).filter(({ part }) => part !== (object.part ?? ""));
    const [rival] = parts.flatMap(({ claimed }) => othersOf(claimed, identity).filter(([, { wants }]) => wants));
    return rival && otherOf(rival);
  }

  /**
   * The engine's state has the object as this resource's.
   *
   * @returns false where another resource's delete took it away in this run: then it has to be made again.
   */
  hold(object: CloudObject, identity: string | undefined): boolean {
    this.note("has", object, identity);
    const claimed = this.find(object);
    return claimed.removals.size === 0 && (claimed.removed === 0 || claimed.is("made"));
  }

  /** A create or update of a resource begins. A delete under the same identity that comes after it is not its own. */
  making(object: CloudObject, identity: string | undefined): void {
    this.note("tries", object, identity);
  }

  /** A create or update of a resource left the object in the cloud, or may have. */
  made(object: CloudObject, identity: string | undefined): void {
    this.note("made", object, identity);
  }

  /**
   * Makes an object, and makes it again where another resource's delete takes it away at the same time.
   *
   * @param ensure makes the object unless it exists.
   * @param wait is called between looks at a delete that is under way.
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

  /** The other resources that have or want an object, those that have it first. */
  others(object: CloudObject, identity = UNKNOWN_IDENTITY): (Other & { holds: boolean })[] {
    return othersOf(this.find(object), identity)
      .filter(([, claim]) => holds(claim) || claim.wants)
      .map((other) => ({ ...otherOf(other), holds: holds(other[1]) }))
      .sort((left, right) => Number(right.holds) - Number(left.holds));
  }

  /** Decides what a delete does with its object, and lets it do that. */
  async remove(object: CloudObject, identity = UNKNOWN_IDENTITY, removal: Removal): Promise<Decision> {
    const names = [object, ...(await this.otherNames(object, identity, removal))];
    const decide = () =>
      this.decide(
        names.map((name) => this.find(name)),
        identity,
        removal,
      );
    // Before the decision: of two resources that give up the object at the same time, the later one removes it.
    for (const name of names) this.note("leaves", name, identity);
    const planned = decide();
    if (planned.kind !== "remove") return planned;
    const id = randomUUID();
    for (const name of names) this.note("removing", name, id);
    try {
      // A resource that made the object by now has not seen that it is being removed.
      const decision = decide();
      if (decision.kind === "remove" || decision.kind === "declared") {
        await removal.remove();
        return { kind: "remove" };
      }
      return decision;
    } finally {
      // After a failure nobody knows whether the object is gone: whoever wants it has to look.
      for (const name of names) this.note("removed", name, id);
    }
  }

  /** The object under the other spellings of its project that other resources use for it. */
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
    const self: Other = { identity };
    const holder = others.find(([, claim]) => holds(claim));
    if (holder) return { kind: "held", by: otherOf(holder) };
    if (own.some(({ made }) => made)) return { kind: "held", by: self };
    // Only another resource of this name can have the object of a create that began and did not make it.
    if (own.some(({ tries }) => tries)) return { kind: "declared", by: self };
    if (isTakenOver && own.some(({ wants }) => wants)) return { kind: "held", by: self };
    const wanting = others.find(([, { wants }]) => wants);
    // A resource that is deleted before its replacement is made: the turn of the others may still come, and they make the
    // object again then.
    if (wanting && !this.isStillToMake(identity)) return { kind: "declared", by: otherOf(wanting) };
    const { problem } = this.log;
    return problem === undefined ? { kind: "remove" } : { kind: "unknown", why: problem };
  }

  /** Whether a resource wants something and has not begun to make it. */
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
      // Where a resource made it before, the delete leaves it.
      if (!claimed.is("made")) claimed.removals.add(by);
    } else if (kind === "removed") {
      if (!claimed.removals.delete(by)) return;
      claimed.removed++;
    } else if (kind === "leaves") {
      claimed.of(by).has = false;
    } else if (kind === "wants") {
      this.want(claimed, by);
    } else if (kind === "has" || claimed.of(by).wants) {
      // A create without a check before it is not of this run's program: no delete has to leave its object.
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

  /** What is known of an object now. */
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

/** The claims of all resources but this one. */
function othersOf({ claims }: Claimed, identity: string): [string, Claim][] {
  return [...claims].filter(([by]) => by !== identity || by === UNKNOWN_IDENTITY);
}

function holds({ has, made }: Claim): boolean {
  return has || made;
}

function otherOf([identity]: [string, Claim]): Other {
  return { identity: identity === UNKNOWN_IDENTITY ? undefined : identity };
}

/** Why an object is kept, as words that end a message. @param what the object is: "grant". */
export function whoWantsItIsUnknown(what: string, why: string): string {
  return `it is unknown who else wants it (another resource of this program may declare the same ${what}): ${why}`;
}
