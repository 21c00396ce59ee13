import { getOrCompute } from "../../provider/core/once";
import { withProject } from "../../provider/core/reference";
import { grantKey, type accessChange, type Grant, type Policy } from "../../provider/iam/policy";
import { differences, lossOf, type Differences, type GrantChange } from "../changes/differences";
import type { PlannedGrant } from "../plan/planned-grant";
import type { ReviewedResource, Uncertainty } from "../result/result";
import { clientOf, type Place } from "./place";

/** The key of a resource with an access policy whose cloud and project are not compared. @param name the name in the API */
export function anyCloudKey(api: string, name: string): string {
  return `${api} ${withProject(name, "")}`;
}

/** The access policy of one resource: its content, and what the plan and the state say about it. */
export class AccessPolicy {
  /** The live policy; undefined while it is not read. */
  before?: Policy;
  /** The live policy with the changes of the rehearsal so far. */
  after?: Policy;
  /** Why it could not be read. */
  failure?: string;
  private writes = 0;
  private readonly facts = new Map<string, GrantFacts>();
  private readonly secretBindings = new Set<string>();
  private readonly uncertainties = new Map<string, Uncertainty>();
  private readonly modes = new Map<string, ReviewedMode>();

  /**
   * @param place with the name of the resource in the first spelling that was read.
   * @param name of the resource in the API with the id of its project, if that is known.
   */
  constructor(
    readonly place: Place,
    readonly name: string,
  ) {}

  /** The policy as it was read, for another rehearsal. */
  fresh(): AccessPolicy {
    const other = new AccessPolicy(this.place, this.name);
    if (this.before) other.isRead(this.before);
    return other;
  }

  isRead(live: Policy): void {
    this.before = live;
    this.after = live;
  }

  /** Writes the policy with a new etag, as the API does. */
  write(changed: Policy): Policy {
    this.writes += 1;
    this.after = { ...changed, etag: `rehearsal-${this.writes}` };
    return this.after;
  }

  /** What the plan does to the policy; to an unreadable one, the planned changes of the steps. */
  get outcome(): Differences {
    if (this.before && this.after) return differences(this.before, this.after);
    const all = [...this.facts.values()];
    const gained = all.filter(({ adders, removers }) => adders.size > 0 && removers.size === 0);
    // A grant that one step removes stays if another resource adds or declares it.
    const isLost = (each: GrantFacts) => each.removers.size > 0 && each.adders.size === 0 && !each.isDeclared;
    const changes = [
      ...all.filter(isLost).map(({ grant }) => lossOf(grant)),
      ...gained.map(({ grant }): GrantChange => ({ change: "gained", grant })),
    ];
    return { changes, unchanged: 0, noAccessLeft: [] };
  }

  /** Identifies the policy, also in the rehearsal of another stack. */
  get key(): string {
    return this.cloudKey + this.name;
  }

  /** The same without the project, which has an id and a number. */
  get anyProjectKey(): string {
    return this.cloudKey + withProject(this.name, "");
  }

  /** The same in any cloud, for what says no cloud. */
  get anyCloudKey(): string {
    return anyCloudKey(this.place.kind.service.api, this.name);
  }

  private get cloudKey(): string {
    const { cloud, kind } = this.place;
    return cloud.settings.isKnown ? clientOf(this.place).baseUrl : `${kind.service.api} `;
  }

  /** The name of the resource in answers. */
  get resource(): string {
    return this.place.resource;
  }

  /** What is known about a grant, to be read and noted. */
  about(grant: Grant): GrantFacts {
    const none = { adders: new Set<string>(), removers: new Set<string>(), assumers: new Set<string>() };
    return getOrCompute(this.facts, keyOf(grant), () => ({ grant, ...none, isHeld: false, isDeclared: false }));
  }

  /** After the plan, a resource of the stack declares the grants, or the state keeps them. */
  declares(grants: readonly Grant[]): void {
    for (const grant of grants) this.about(grant).isDeclared = true;
  }

  /** A step wrote these changes into the policy; into an unreadable one, it is to write them. */
  wrote(urn: string, { gained = [], lost = [] }: GrantChanges): void {
    for (const grant of gained) this.about(grant).adders.add(urn);
    for (const grant of lost) this.about(grant).removers.add(urn);
  }

  /** The state has the grants of a resource. Others with their roles and conditions may be its own if its members are secret. */
  has({ grants, hidden }: Pick<PlannedGrant, "grants" | "hidden">): void {
    const isSecret = ["member", "members"].some((each) => hidden.get(each) === "secret");
    for (const grant of grants) {
      this.about(grant).isHeld = true;
      if (isSecret) this.secretBindings.add(bindingKeyOf(grant));
    }
  }

  /** A provider with this mode has grants on the resource. */
  isReviewedIn(mode: ReviewedMode): void {
    this.modes.set(JSON.stringify(mode), mode);
  }

  get grantModes(): ReviewedMode[] {
    return [...this.modes.values()];
  }

  /** Notes an unknown fact once. */
  noteUnknown(uncertainty: Uncertainty): void {
    const { code, message, step } = uncertainty;
    this.uncertainties.set(JSON.stringify([code, message, step]), uncertainty);
  }

  get unknown(): Uncertainty[] {
    return [...this.uncertainties.values()];
  }

  /** True when the grant may belong to the stack because a grant with a secret member has its role and condition. */
  mayBeSecret(grant: Grant): boolean {
    if (!this.secretBindings.has(bindingKeyOf(grant))) return false;
    const { isHeld, isDeclared } = this.about(grant);
    return !isHeld && !isDeclared;
  }
}

type ReviewedMode = NonNullable<ReviewedResource["grantModes"]>[number];

export type GrantChanges = Partial<ReturnType<typeof accessChange>>;

/** What the plan and the state say about one grant. */
interface GrantFacts {
  readonly grant: Grant;
  /** URNs of the steps that add it, and of those that remove it. */
  readonly adders: Set<string>;
  readonly removers: Set<string>;
  /** URNs of the resources that declare it if the plan has them: it may have omitted them. */
  readonly assumers: Set<string>;
  /** The stack's state has it. */
  isHeld: boolean;
  /** After the plan, a resource of the stack declares it. */
  isDeclared: boolean;
}

/** A grant and its form after the deletion of its member's identity count as one grant: a delete removes both. */
function keyOf(grant: Grant): string {
  const { member } = grant;
  if (!member.startsWith("deleted:")) return grantKey(grant);
  return grantKey({ ...grant, member: member.slice("deleted:".length).replace(/\?uid=[^?]*$/, "") });
}

function bindingKeyOf(grant: Grant): string {
  return grantKey({ ...grant, member: "" });
}
