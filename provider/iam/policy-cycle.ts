import { ApiError, effectOf, messageOf, NotFoundError, RefusedError } from "../core/errors";
import { pause } from "../http/call";
import type { Clock } from "../http/clock";
import { delayAfter, isConflict, isTransient } from "../http/retry";
import { limitRefusal } from "./limits";
import { lockOutRefusal } from "./lockout";
import type { Pacer, Slot } from "./pacer";
import type { PendingChange } from "./pending-change";
import { policyToSend, type Policy } from "./policy";
import { readPolicy, withEtag, writePolicy, type PolicyTarget } from "./policy-api";
import { isRefusalOfContent } from "./refusals";
import type { SharedCall } from "./shared-call";

/** For how long an answered policy may begin the next cycle, in place of a read. */
const KNOWN_FOR_MS = 2_000;
/** After so many conflicts the wait grows no more: a conflict shows that another writer got through, so the API is well. */
const LONGEST_CONFLICT_STEP = 4;
/** How often a write is made again after an answer that makes no sense: another attempt is likely to get the same one. */
const MOST_SENSELESS_ANSWERS = 2;

/**
 * Read-modify-write of one policy: read with version 3, change a copy, write with the etag just read. After a conflict or
 * a lost answer it begins again, and the read shows whether the change was made. docs/wire.md section 9, "Read-modify-
 * write that loses nothing".
 */
export class PolicyCycle {
  /** What the API answered last. The next cycle begins there, and its etag tells whether somebody changed it since. */
  private known: { policy: Policy; at: number } | undefined;
  private readonly clock: Clock;

  /**
   * @param doing for messages: "change the access policy of the FHIR store projects/…".
   * @param written is called after each write, whatever became of it: earlier reads are outdated.
   */
  constructor(
    private readonly target: PolicyTarget,
    private readonly pacer: Pacer,
    private readonly doing: string,
    private readonly written: () => void,
  ) {
    this.clock = target.client.clock;
  }

  /**
   * Makes the changes of a batch, and settles each of them.
   *
   * @returns undefined where they are settled; the API's refusal of what they make of the policy, which leaves them open.
   * @throws whatever else went wrong, for all changes that are open.
   */
  async run(batch: readonly PendingChange[], call: SharedCall): Promise<ApiError | undefined> {
    let slot: Slot | undefined;
    /** The error of the last write that may or may not have been made. */
    let lost: unknown;
    let attempt = 1;
    let senseless = 0;
    try {
      for (;;) {
        const open = batch.filter((each) => each.isOpen);
        if (open.length === 0) return undefined;
        const { policy, isFresh } = await this.current(open, lost, call);
        const applied = applyBatch(this.target.resource, policy, open);
        if (applied.changed === policy) {
          if (isFresh) {
            settleBatch(applied, policy);
            return undefined;
          }
          // Without a write, whose etag would prove it, only a read tells whether the known policy still holds.
          this.known = undefined;
          continue;
        }
        const hidden = hiddenConditionRefusal(this.target.resource, policy);
        if (hidden) throw hidden;
        slot ??= this.pacer.tryTake();
        if (!slot) {
          slot = await this.pacer.take(call, this.doing, open[0]?.call.reporter);
          // The policy may have changed during the wait, so the cycle begins again, now with a slot.
          this.known = undefined;
          continue;
        }
        slot.use();
        slot = undefined;
        try {
          settleBatch(applied, await this.write(policy, applied, call));
          return undefined;
        } catch (error) {
          if (isRefusalOfContent(error)) return error;
          const isLost = effectOf(error) === "unknown";
          if (isLost) lost = error;
          if (isLost && !isTransient(error)) senseless += 1;
          if (!isWorthAnotherCycle(error) || senseless > MOST_SENSELESS_ANSWERS) throw error;
          const delay = delayOfCycle(error, attempt, isFresh, this.clock);
          if (this.clock.now() + delay >= call.deadline) throw error;
          call.reporter.status(
            `Somebody else changed the access policy, or the answer was lost: reading it again (${attempt})`,
          );
          attempt += 1;
          await pause(call, this.clock, delay, this.doing);
        }
      }
    } finally {
      slot?.giveBack();
    }
  }

  /**
   * The policy that the cycle changes: what the API answered a moment ago, or a fresh read.
   *
   * @param lost the error of a write that may have been made. Should the read fail, its changes end with that error.
   */
  private async current(
    batch: readonly PendingChange[],
    lost: unknown,
    call: SharedCall,
  ): Promise<{ policy: Policy; isFresh: boolean }> {
    if (this.known && this.clock.now() - this.known.at < KNOWN_FOR_MS) {
      return { policy: this.known.policy, isFresh: false };
    }
    try {
      const policy = withEtag(this.doing, await readPolicy(this.target, 3, call), "none");
      for (const each of batch) each.isUncertain = false;
      this.known = { policy, at: this.clock.now() };
      return { policy, isFresh: true };
    } catch (error) {
      // A resource that is gone has no policy in which the lost write could have been made.
      if (lost !== undefined && !(error instanceof NotFoundError)) {
        for (const each of batch.filter(({ isUncertain }) => isUncertain)) {
          each.call.reporter.info(`What became of the change could not be read: ${messageOf(error)}`);
          each.reject(lost);
        }
      }
      throw error;
    }
  }

  private async write(read: Policy, { changed, changing }: AppliedBatch, call: SharedCall): Promise<Policy> {
    for (const each of changing) each.isUncertain = true;
    try {
      const policy = withEtag(this.doing, await writePolicy(this.target, policyToSend(read, changed), call), "unknown");
      this.known = { policy, at: this.clock.now() };
      return policy;
    } catch (error) {
      if (effectOf(error) === "none") for (const each of changing) each.isUncertain = false;
      // A refusal of the content says nothing against the policy that was read: the next batch can begin with it.
      if (!isRefusalOfContent(error)) this.known = undefined;
      throw error;
    } finally {
      this.written();
    }
  }
}

/** True for errors after which the policy may have changed, or the write may have been made: another read tells. */
function isWorthAnotherCycle(error: unknown): boolean {
  return effectOf(error) === "unknown" || isTransient(error) || (error instanceof ApiError && isConflict(error));
}

/**
 * How long to wait before the next cycle, in milliseconds.
 *
 * @param isFresh false where this cycle began with a known policy. A conflict then only shows that somebody changed it
 *   some time ago, not that somebody is writing now, so that the next cycle begins at once.
 */
function delayOfCycle(error: unknown, attempt: number, isFresh: boolean, clock: Clock): number {
  if (!(error instanceof ApiError && isConflict(error))) return delayAfter(error, attempt, clock);
  return isFresh ? delayAfter(error, Math.min(attempt, LONGEST_CONFLICT_STEP), clock) : 0;
}

/** What a batch of changes makes of a policy, should the result be written. */
interface AppliedBatch {
  changed: Policy;
  accepted: PendingChange[];
  /** Those of the accepted that change anything. */
  changing: PendingChange[];
  refused: { change: PendingChange; refusal: RefusedError }[];
}

/** Applies each change that may be made, to what those before it made of the policy. The others are refused one by one. */
function applyBatch(resource: string, read: Policy, batch: readonly PendingChange[]): AppliedBatch {
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
function settleBatch({ accepted, refused }: AppliedBatch, policy: Policy): void {
  for (const pending of accepted) pending.resolve(policy);
  for (const { change, refusal } of refused) change.reject(refusal);
}

/**
 * A service that does not support policy version 3 answers a condition as part of the role's name:
 * `roles/viewer_withcond_` and 20 hexadecimal digits (docs/wire.md section 9;
 * https://cloud.google.com/iam/docs/troubleshooting-withcond).
 */
const HIDDEN_CONDITION = /_withcond_[0-9a-f]{20}$/;

/** Refuses to write back a policy that was read without its conditions: they would be lost. Undefined: nothing is hidden. */
export function hiddenConditionRefusal(resource: string, read: Policy): RefusedError | undefined {
  const hidden = (read.bindings ?? []).filter((binding) => HIDDEN_CONDITION.test(binding.role ?? ""));
  if (hidden.length === 0) return undefined;
  return new RefusedError(
    `Refused to change the access policy of ${resource}: the API answered it without the conditions of ${hidden.length} ` +
      "binding(s), and writing it back would drop them for good",
  );
}
