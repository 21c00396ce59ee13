import { grantKey, type Grant } from "../../provider/iam/policy";
import type { ReviewedMode, Uncertainty } from "../result";
import type { RehearsedPolicy } from "./rehearsed-policies";

/** Which policy a record is of. */
export interface RecordOptions {
  /** Relative name. */
  resource: string;
  /** With its article: "a FHIR store". */
  kind: string;
  api: string;
  endpoint?: string | undefined;
  /** The environment variable that the endpoint comes from. */
  endpointVariable?: string | undefined;
  /** Undefined where it could not be read. */
  policy: RehearsedPolicy | undefined;
}

/** What the plan and the state say of one resource's policy, beside what becomes of it. */
export class PolicyRecord {
  /** URNs by the key of the grant that their steps make or take away. */
  private readonly makers = new Map<string, Set<string>>();
  private readonly takers = new Map<string, Set<string>>();
  private readonly held = new Set<string>();
  private readonly wanted = new Set<string>();
  /** What the steps are to do, whatever the policy holds. */
  private readonly plannedGains = new Map<string, Grant>();
  private readonly plannedLosses = new Map<string, Grant>();
  private readonly assumers = new Map<string, Set<string>>();
  private readonly secretBindings = new Set<string>();
  private readonly uncertainties = new Map<string, Uncertainty>();
  private readonly modes = new Map<string, ReviewedMode>();

  constructor(readonly options: RecordOptions) {}

  /** The stack's state has the grant. */
  has(grant: Grant): void {
    this.held.add(keyOf(grant));
  }

  /** After the plan, a resource of the stack declares the grant. */
  declares(grant: Grant): void {
    this.wanted.add(keyOf(grant));
  }

  /** The same, of a resource that the plan may have left out. */
  mayDeclare(grant: Grant, urn: string): void {
    note(this.assumers, keyOf(grant), urn);
  }

  /** URNs of the resources that may declare a grant. */
  assumersOf(grant: Grant): string[] {
    return [...(this.assumers.get(keyOf(grant)) ?? [])];
  }

  /** A step makes the grant. */
  made(grant: Grant, urn: string): void {
    note(this.makers, keyOf(grant), urn);
    this.plannedGains.set(grantKey(grant), grant);
  }

  /** A step takes the grant away. */
  took(grant: Grant, urn: string): void {
    note(this.takers, keyOf(grant), urn);
    this.plannedLosses.set(grantKey(grant), grant);
  }

  /** The state has a grant of this role and condition whose member is secret. */
  hasSecretMember(grant: Grant): void {
    this.secretBindings.add(bindingKeyOf(grant));
  }

  /** A provider with this mode has grants on the resource. */
  isReviewedIn(mode: ReviewedMode): void {
    this.modes.set(JSON.stringify(mode), mode);
  }

  get grantModes(): ReviewedMode[] {
    return [...this.modes.values()];
  }

  /** Notes once what is unknown. */
  cannotTell(uncertainty: Uncertainty): void {
    const { code, message, step } = uncertainty;
    this.uncertainties.set(JSON.stringify([code, message, step]), uncertainty);
  }

  get unknown(): Uncertainty[] {
    return [...this.uncertainties.values()];
  }

  makersOf(grant: Grant): string[] {
    return [...(this.makers.get(keyOf(grant)) ?? [])];
  }

  takersOf(grant: Grant): string[] {
    return [...(this.takers.get(keyOf(grant)) ?? [])];
  }

  wasManaged(grant: Grant): boolean {
    return this.held.has(keyOf(grant));
  }

  isDeclared(grant: Grant): boolean {
    return this.wanted.has(keyOf(grant));
  }

  /** True where the grant may be one of the stack's whose member is secret: nothing else explains it. */
  mayBeSecret(grant: Grant): boolean {
    return this.secretBindings.has(bindingKeyOf(grant)) && !this.wasManaged(grant) && !this.isDeclared(grant);
  }

  /** What the steps are to do; a grant that one step takes away stays where another resource makes or declares it. */
  get planned(): { gained: Grant[]; lost: Grant[] } {
    const without = (all: Map<string, Grant>, others: Map<string, Grant>) =>
      [...all].filter(([key]) => !others.has(key)).map(([, grant]) => grant);
    return {
      gained: without(this.plannedGains, this.plannedLosses),
      lost: without(this.plannedLosses, this.plannedGains).filter((grant) => !this.isDeclared(grant)),
    };
  }
}

function note(urns: Map<string, Set<string>>, key: string, urn: string): void {
  const known = urns.get(key);
  if (known) known.add(urn);
  else urns.set(key, new Set([urn]));
}

/** A grant and what the deletion of its member's identity makes of it are one: a delete takes both away. */
function keyOf(grant: Grant): string {
  const { member } = grant;
  if (!member.startsWith("deleted:")) return grantKey(grant);
  return grantKey({ ...grant, member: member.slice("deleted:".length).replace(/\?uid=[^?]*$/, "") });
}

function bindingKeyOf(grant: Grant): string {
  return grantKey({ ...grant, member: "" });
}
