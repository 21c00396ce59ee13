import {
  addGrant,
  grantsOf,
  removeGrant,
  sameCondition,
  type Binding,
  type Grant,
  type Policy,
} from "../../provider/iam/policy";

/**
 * The effect of google-native's grants on a policy (`inputsForIAMOverlayCreate` and similar functions in pulumi-google-native,
 * provider/pkg/provider/iam.go). google-native tracks no declarations: a delete removes its grant also when another resource
 * declares it.
 */

/** The declaration of a google-native resource: one member of a role, all members of a role, or the whole policy. */
export type NativeGrant =
  | { kind: "member"; grant: Grant }
  | { kind: "binding"; binding: Binding }
  | { kind: "policy"; bindings: readonly Binding[] };

export function grantsOfNative(native: NativeGrant): Grant[] {
  if (native.kind === "member") return [native.grant];
  return grantsOf({ bindings: native.kind === "binding" ? [native.binding] : native.bindings });
}

/** @param before the earlier declaration, for an update: only the old grant of a member is removed. */
export function afterNativeMake(policy: Policy, wanted: NativeGrant, before?: NativeGrant): Policy {
  switch (wanted.kind) {
    case "member":
      return addGrant(before?.kind === "member" ? removeGrant(policy, before.grant) : policy, wanted.grant);
    case "binding":
      return { ...policy, bindings: [...othersThan(policy, wanted.binding), wanted.binding] };
    case "policy":
      return { ...policy, bindings: wanted.bindings };
  }
}

/** A whole policy stays unchanged: the API has no method to delete a policy, and google-native calls none. */
export function afterNativeDelete(policy: Policy, gone: NativeGrant): Policy {
  switch (gone.kind) {
    case "member":
      return removeGrant(policy, gone.grant);
    case "binding":
      return { ...policy, bindings: othersThan(policy, gone.binding) };
    case "policy":
      return policy;
  }
}

function othersThan({ bindings = [] }: Policy, { role, condition }: Binding): Binding[] {
  return bindings.filter((each) => each.role !== role || !sameCondition(each.condition, condition));
}
