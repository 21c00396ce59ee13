import { accessChange, bindingKey, currentFormOf, grantKey, type Grant, type Policy } from "./policy";

/**
 * The API accepted a change, and its answer, which is the stored policy, lacks grants of it. The API accepts other names of an
 * identity, such as an alias of its address, and stores the primary one.
 */
export class StoredOtherwise extends Error {
  /**
   * @param policy as it is stored.
   * @param lacking the grants of the change that it lacks.
   * @param instead the grants that it has in their place. Empty if it had them before.
   */
  constructor(
    readonly policy: Policy,
    readonly lacking: readonly Grant[],
    readonly instead: readonly Grant[],
  ) {
    super("the API stored other grants");
  }
}

/**
 * Compares a policy that was sent with the one that the API stored.
 *
 * @param changing the changes in the policy that was sent.
 * @returns the changes whose grants the stored policy lacks. If there are several, it is unknown whose are those in `instead`.
 */
export function storedOtherwise<Pending extends { change: { apply(policy: Policy): Policy } }>(
  sent: Policy,
  stored: Policy,
  changing: readonly Pending[],
): Map<Pending, StoredOtherwise> {
  const { lost, gained } = accessChange(sent, stored);
  const missing = new Set(lost.filter((grant) => !currentFormOf(stored, grant)).map(grantKey));
  if (missing.size === 0) return new Map();
  const affected = changing.flatMap((pending): [Pending, StoredOtherwise][] => {
    const wanted = accessChange(stored, pending.change.apply(stored)).gained;
    const lacking = wanted.filter((grant) => missing.has(grantKey(grant)));
    const keys = new Set(lacking.map(bindingKey));
    const instead = gained.filter((grant) => keys.has(bindingKey(grant)));
    return lacking.length > 0 ? [[pending, new StoredOtherwise(stored, lacking, instead)]] : [];
  });
  return new Map(affected);
}
