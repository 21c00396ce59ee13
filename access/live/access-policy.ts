import { getOrCompute } from "../../provider/core/once";
import { withProject } from "../../provider/core/reference";
import { grantKey, type accessChange, type Grant, type Policy } from "../../provider/iam/policy";
import { policyOutcome, type GrantChange, type PolicyOutcome } from "../changes/outcome";
import type { PlannedGrant } from "../plan/planned-grant";
import type { ReviewedMode, Uncertainty } from "../result/result";
import { clientOf, type Place } from "./place";

/** The access policy of one resource: its content, and what the plan and the state say about it. */
export class AccessPolicy {
  /** The live policy; undefined while it is not read. */
  before?: Policy;
  /** The live policy with the changes of the rehearsal so far. */
  after?: Policy;
  /** Why it could not be read. */
  failure?: string;
  private writes = 0;
  /** The grants that the steps add and remove, with the URNs of the steps. */
  private readonly added = new Map<string, WrittenGrant>();
  private readonly removed = new Map<string, WrittenGrant>();
  private readonly held = new Set<string>();
  private readonly wanted = new Set<string>();
  private readonly assumers = new Map<string, Set<string>>();
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
  get outcome(): PolicyOutcome {
    if (this.before && this.after) return policyOutcome(this.before, this.after);
    const { lost, gained } = this.written;
    const changes = [
      ...lost.map((grant): GrantChange => ({ change: "lost", grant })),
      ...gained.map((grant): GrantChange => ({ change: "gained", grant })),
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

  private get cloudKey(): string {
    const { cloud, kind } = this.place;
    return cloud.settings.isKnown ? clientOf(this.place).baseUrl : `${kind.service.api} `;
  }

  /** The name of the resource in answers. */
  get resource(): string {
    return this.place.resource;
  }

  /** The stack's state has the grant. */
  has(grant: Grant): void {
    this.held.add(keyOf(grant));
  }

  /** After the plan, a resource of the stack declares the grant. */
  declares(grant: Grant): void {
    this.wanted.add(keyOf(grant));
  }

  /** The same, for a resource that the plan may have omitted. */
  mayDeclare(grant: Grant, urn: string): void {
    getOrCompute(this.assumers, keyOf(grant), () => new Set<string>()).add(urn);
  }

  /** URNs of the resources that may declare a grant. */
  assumersOf(grant: Grant): string[] {
    return [...(this.assumers.get(keyOf(grant)) ?? [])];
  }

  /** A step wrote these changes into the copy of the policy; without a copy, the changes that it is to write. */
  wrote(urn: string, { gained = [], lost = [] }: GrantChanges): void {
    for (const grant of gained) note(this.added, grant, urn);
    for (const grant of lost) note(this.removed, grant, urn);
  }

  /** Notes the roles and conditions of a resource of the state if its members are secret. */
  noteSecretMembers({ grants, hidden }: PlannedGrant): void {
    if (hidden.get("member") !== "secret" && hidden.get("members") !== "secret") return;
    for (const grant of grants) this.secretBindings.add(bindingKeyOf(grant));
  }

  /** A resource of the state has its grants, and still declares them. */
  keeps(planned: PlannedGrant): void {
    for (const grant of planned.grants) {
      this.has(grant);
      this.declares(grant);
    }
    this.noteSecretMembers(planned);
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

  /** URNs of the steps that added the grant. */
  addersOf(grant: Grant): string[] {
    return [...(this.added.get(keyOf(grant))?.urns ?? [])];
  }

  /** URNs of the steps that removed the grant. */
  removersOf(grant: Grant): string[] {
    return [...(this.removed.get(keyOf(grant))?.urns ?? [])];
  }

  wasManaged(grant: Grant): boolean {
    return this.held.has(keyOf(grant));
  }

  isDeclared(grant: Grant): boolean {
    return this.wanted.has(keyOf(grant));
  }

  /** True when the grant may belong to the stack because a grant with a secret member has its role and condition. */
  mayBeSecret(grant: Grant): boolean {
    return this.secretBindings.has(bindingKeyOf(grant)) && !this.wasManaged(grant) && !this.isDeclared(grant);
  }

  /** The changes of all steps together. A grant that one step removes stays if another resource adds or declares it. */
  private get written(): { gained: Grant[]; lost: Grant[] } {
    const without = (all: typeof this.added, others: typeof this.added) =>
      [...all].filter(([key]) => !others.has(key)).map(([, { grant }]) => grant);
    return {
      gained: without(this.added, this.removed),
      lost: without(this.removed, this.added).filter((grant) => !this.isDeclared(grant)),
    };
  }
}

export type GrantChanges = Partial<ReturnType<typeof accessChange>>;

interface WrittenGrant {
  grant: Grant;
  urns: Set<string>;
}

function note(grants: Map<string, WrittenGrant>, grant: Grant, urn: string): void {
  getOrCompute(grants, keyOf(grant), () => ({ grant, urns: new Set<string>() })).urns.add(urn);
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
