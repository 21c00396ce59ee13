import { grantKey, type Grant } from "../../provider/iam/policy";
import type { ReviewedMode, Uncertainty } from "../result";
import type { RehearsedPolicy } from "./rehearsed-policies";

/** The policy of a record. */
export interface RecordOptions {
  /** Relative name. */
  resource: string;
  /** With its article: "a FHIR store". */
  kind: string;
  api: string;
  endpoint?: string | undefined;
  /** The environment variable that the endpoint comes from. */
  endpointVariable?: string | undefined;
  /** Undefined when it could not be read. */
  policy: RehearsedPolicy | undefined;
}

/** The facts of the plan and the state about the policy of one resource, apart from its content. */
export class PolicyRecord {
  /** The URNs of steps by the key of the grant that they add or remove. */
  private readonly makers = new Map<string, Set<string>>();
  private readonly takers = new Map<string, Set<string>>();
  private readonly held = new Set<string>();
  private readonly wanted = new Set<string>();
  /** The planned changes of the steps, independent of the content of the policy. */
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

  /** The same, for a resource that the plan may have omitted. */
  mayDeclare(grant: Grant, urn: string): void {
    note(this.assumers, keyOf(grant), urn);
  }

  /** URNs of the resources that may declare a grant. */
  assumersOf(grant: Grant): string[] {
    return [...(this.assumers.get(keyOf(grant)) ?? [])];
  }

  /** A step adds the grant. */
  made(grant: Grant, urn: string): void {
    note(this.makers, keyOf(grant), urn);
    this.plannedGains.set(grantKey(grant), grant);
  }

  /** A step removes the grant. */
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

  /** Notes an unknown fact once. */
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

  /** True when the grant may belong to the stack because a grant with a secret member has its role and condition. */
  mayBeSecret(grant: Grant): boolean {
    return this.secretBindings.has(bindingKeyOf(grant)) && !this.wasManaged(grant) && !this.isDeclared(grant);
  }

  /** The planned changes of the steps. A grant that one step removes stays if another resource adds or declares it. */
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

/** A grant and its form after the deletion of its member's identity count as one grant: a delete removes both. */
function keyOf(grant: Grant): string {
  const { member } = grant;
  if (!member.startsWith("deleted:")) return grantKey(grant);
  return grantKey({ ...grant, member: member.slice("deleted:".length).replace(/\?uid=[^?]*$/, "") });
}

function bindingKeyOf(grant: Grant): string {
  return grantKey({ ...grant, member: "" });
}
