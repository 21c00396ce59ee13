import type { RefusedError } from "../core/errors";
import { limitRefusal } from "./limits";
import { lockOutRefusal } from "./lockout";
import type { PendingChange } from "./pending-change";
import type { Policy } from "./policy";

/** What a batch of changes makes of a policy, should the result be written. */
export interface AppliedBatch {
  changed: Policy;
  accepted: PendingChange[];
  /** Those of the accepted that change anything. */
  changing: PendingChange[];
  refused: { change: PendingChange; refusal: RefusedError }[];
}

/** Applies each change that may be made, to what those before it made of the policy. The others are refused one by one. */
export function applyBatch(resource: string, read: Policy, batch: readonly PendingChange[]): AppliedBatch {
  const applied: AppliedBatch = { changed: read, accepted: [], changing: [], refused: [] };
  for (const pending of batch) {
    const { apply, admins } = pending.change;
    const { changed } = applied;
    const next = apply(changed);
    if (next === changed) {
      applied.accepted.push(pending);
      continue;
    }
    const refusal =
      (admins && lockOutRefusal(resource, changed, next, admins)) ?? limitRefusal(resource, changed, next);
    if (refusal) {
      applied.refused.push({ change: pending, refusal });
      continue;
    }
    applied.accepted.push(pending);
    applied.changing.push(pending);
    applied.changed = next;
  }
  return applied;
}

/**
 * Settles the changes of a batch that was written, or that changes nothing. Refusals wait until here: another attempt, on
 * another policy or without a bad change in the batch, may have had room for the change.
 */
export function settleBatch({ accepted, refused }: AppliedBatch, policy: Policy): void {
  for (const pending of accepted) pending.resolve(policy);
  for (const { change, refusal } of refused) change.reject(refusal);
}
