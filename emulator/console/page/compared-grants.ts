import { grantsOf, keyOfGrant, type Grant, type PolicyLike } from "../../../picture/grants";

/**
 * The grants of a version of a policy, marked as added since an earlier version, and the removed ones. The emulator stores email
 * addresses in lower case, so equal members have equal texts.
 *
 * @param before null when there was no policy; undefined to mark nothing
 */
export function comparedGrants(policy: PolicyLike | null | undefined, before: PolicyLike | null | undefined): Grant[] {
  const now = grantsOf(policy);
  if (before === undefined) return now;
  const earlier = grantsOf(before);
  const held = new Set(now.map(keyOfGrant));
  const heldBefore = new Set(earlier.map(keyOfGrant));
  return [
    ...now.map((grant) => (heldBefore.has(keyOfGrant(grant)) ? grant : { ...grant, change: "added" as const })),
    ...earlier
      .filter((grant) => !held.has(keyOfGrant(grant)))
      .map((grant) => ({ ...grant, change: "removed" as const })),
  ];
}
