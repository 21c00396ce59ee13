import { accessChange, bindingKey, currentFormOf, grantKey, type Grant, type Policy } from "./policy";

/**
 * The API accepted a change, and its answer, which is the stored policy, lacks grants of it. The API accepts other names of an
 * identity, such as an alias of its address, and stores the primary one.
 */
export class StoredOtherwise extends Error {
  /**
   * @param policy as it is stored.
   * @param lacking the grants of the change that it lacks.
   * @param instead the grants that may be in their place. Empty if the policy had them before.
   * @param isSure whether these are in their place, and nobody else's.
   */
  constructor(
    readonly policy: Policy,
    readonly lacking: readonly Grant[],
    readonly instead: readonly Grant[],
    readonly isSure: boolean,
  ) {
    super("the API stored other grants");
  }
}

/** A change in a policy that was sent. */
interface Sent {
  change: { apply(policy: Policy): Policy };
  /** Whether an earlier write with the change may have been made. */
  mayBeMade: boolean;
}

/**
 * Compares a policy that was sent with the one that the API stored.
 *
 * @param changing the changes in the policy that was sent.
 * @returns the changes whose grants the stored policy lacks. It is sure what is in their place if nothing else explains it: no
 *   other change, no member of others that got another name or was deleted at that moment, and no earlier write.
 */
export function storedOtherwise<Change extends Sent>(
  sent: Policy,
  stored: Policy,
  changing: readonly Change[],
): Map<Change, StoredOtherwise> {
  const { lost, gained } = accessChange(sent, stored);
  const roles = new Set((stored.bindings ?? []).map(bindingKey));
  // An answer without the binding does not show who has the role, such as one that hides or spells conditions differently.
  const missing = lost.filter((grant) => roles.has(bindingKey(grant)));
  if (missing.length === 0) return new Map();
  const keys = new Set(missing.filter((grant) => !currentFormOf(stored, grant)).map(grantKey));
  const affected = changing.flatMap((each) => {
    const lacking = accessChange(stored, each.change.apply(stored)).gained.filter((grant) => keys.has(grantKey(grant)));
    return lacking.length > 0 ? [{ each, lacking }] : [];
  });
  const explained = affected.reduce((count, { lacking }) => count + lacking.length, 0);
  const isAlone = affected.length === 1 && explained === missing.length;
  return new Map(
    affected.map(({ each, lacking }) => {
      const own = new Set(lacking.map(bindingKey));
      const instead = gained.filter((grant) => own.has(bindingKey(grant)));
      // More than were sent cannot all be in their place.
      const isSure = isAlone && !each.mayBeMade && instead.length <= lacking.length;
      return [each, new StoredOtherwise(stored, lacking, instead, isSure)];
    }),
  );
}
