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
 * What the grants of google-native make of a policy (`inputsForIAMOverlayCreate` and its siblings in pulumi-google-native,
 * provider/pkg/provider/iam.go). It knows no holders: a delete takes away what it names, whoever else declares it.
 */

/** What one resource of google-native declares: one member of a role, all members of a role, or the whole policy. */
export type NativeGrant =
  | { kind: "member"; grant: Grant }
  | { kind: "binding"; binding: Binding }
  | { kind: "policy"; bindings: readonly Binding[] };

export function grantsOfNative(native: NativeGrant): Grant[] {
  if (native.kind === "member") return [native.grant];
  return grantsOf({ bindings: native.kind === "binding" ? [native.binding] : native.bindings });
}

/** @param before what the resource declared before, for an update: only a member's old grant goes. */
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

/** A whole policy stays as it is: its API has no method that deletes one, and google-native calls none. */
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
