import {
  addGrant,
  grantsOf,
  removeGrant,
  sameCondition,
  type Binding,
  type Grant,
  type Policy,
} from "../../provider/iam/policy";
import { GCP, type OtherProvider } from "../result/packages";

/**
 * The effect of other providers' grants on a policy: of google-native (`inputsForIAMOverlayCreate` and similar functions in
 * pulumi-google-native, provider/pkg/provider/iam.go) and of `@pulumi/gcp` (google/tpgiamresource in
 * terraform-provider-google). Neither tracks declarations: a delete removes its grant also when another resource declares it.
 */

/** The declaration of such a resource: one member of a role, all members of a role, or the whole policy. */
export type OtherGrant = { kind: "member"; grant: Grant } | { kind: "binding"; binding: Binding } | WholePolicy;

export interface WholePolicy {
  kind: "policy";
  bindings: readonly Binding[];
  auditConfigs?: readonly unknown[];
  /** The etag of the state, with which `@pulumi/gcp` deletes the policy. The API refuses that where the policy has another one. */
  etag?: string;
  /** Whether it is that of a project: `@pulumi/gcp` reads it before its delete, and keeps the configuration of audit logs. */
  isOfProject?: true;
}

export function grantsOfOther(other: OtherGrant): Grant[] {
  if (other.kind === "member") return [other.grant];
  return grantsOf({ bindings: other.kind === "binding" ? [other.binding] : other.bindings });
}

/**
 * The policy after a create or an update.
 *
 * @param before the earlier declaration, for an update: only the old grant of a member is removed.
 */
export function afterOtherMake(
  policy: Policy,
  wanted: OtherGrant,
  provider: OtherProvider,
  before?: OtherGrant,
): Policy {
  switch (wanted.kind) {
    case "member":
      return addGrant(before?.kind === "member" ? removeGrant(policy, before.grant) : policy, wanted.grant);
    case "binding":
      return { ...policy, bindings: [...othersThan(policy, wanted.binding), wanted.binding] };
    case "policy":
      if (provider !== GCP) return { ...policy, bindings: wanted.bindings };
      // It replaces the configuration of audit logs, too.
      return { bindings: wanted.bindings, ...(wanted.auditConfigs && { auditConfigs: wanted.auditConfigs }) };
  }
}

/** `@pulumi/gcp` empties a whole policy. google-native leaves it, because the API has no method to delete a policy. */
export function afterOtherDelete(policy: Policy, gone: OtherGrant, provider: OtherProvider): Policy {
  switch (gone.kind) {
    case "member":
      return removeGrant(policy, gone.grant);
    case "binding":
      return { ...policy, bindings: othersThan(policy, gone.binding) };
    case "policy":
      if (provider !== GCP) return policy;
      // `ResourceIamPolicyDelete`, and for a project `resourceGoogleProjectIamPolicyDelete`.
      return gone.isOfProject ? { ...policy, bindings: [] } : {};
  }
}

/** Whether the API refuses the delete of a policy (HTTP 409), because it has changed since the state was written. */
export function isStale(policy: Policy, { etag }: WholePolicy): boolean {
  return etag !== undefined && Boolean(policy.etag) && policy.etag !== etag;
}

function othersThan({ bindings = [] }: Policy, { role, condition }: Binding): Binding[] {
  return bindings.filter((each) => each.role !== role || !sameCondition(each.condition, condition));
}
