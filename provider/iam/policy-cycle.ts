import { ApiError, effectOf, messageOf, NotFoundError, RefusedError, type Effect } from "../core/errors";
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

/** How long the next cycle may use the policy of the last answer instead of a read, in milliseconds. */
const KNOWN_FOR_MS = 2_000;
/**
 * After this number of conflicts, the wait no longer grows. A conflict shows that another write succeeded, so the API works.
 */
const LONGEST_CONFLICT_STEP = 4;
/** How often a write is repeated after an invalid answer. Further attempts would probably get the same answer. */
const MOST_INVALID_RESPONSES = 2;
const REFUSED_UNCHANGED =
  "The API refuses this access policy even without a change. The cause is in the existing policy or in its resource, not in " +
  "this change";

/**
 * Read-modify-write of one policy: reads it with version 3, changes a copy, and writes the copy with the etag of the read.
 * After a conflict or a lost answer the cycle begins again, and the read shows whether the change was made. docs/wire.md
 * section 9, "Read-modify- write that loses nothing".
 */
export class PolicyCycle {
  /** The policy of the API's last answer. The next cycle begins with it, and the etag shows whether it changed since then. */
  private known: { policy: Policy; at: number } | undefined;
  /**
   * The API's last decision on a policy without a change: it accepted the policy with this etag in a write, or it refused to store
   * the policy again, with this message.
   */
  private decision: { etag: string | undefined; refused?: string } | undefined;

  /**
   * @param doing for messages: "change the access policy of the FHIR store projects/…".
   * @param written is called after each write with the policy before and after it, because earlier reads are then outdated. Both
   *   are the same object if the write had no effect. If its result is unknown, `after` is the policy that was sent.
   */
  constructor(
    private readonly target: PolicyTarget,
    private readonly pacer: Pacer,
    private readonly doing: string,
    private readonly written: (before: Policy, after: Policy) => void,
  ) {}

  /**
   * Makes the changes of a batch, and settles them.
   *
   * @returns undefined when the changes are settled; or the API's refusal of the changed policy, and then they stay open.
   * @throws every other error; it applies to all open changes.
   */
  async run(batch: readonly PendingChange[], call: SharedCall): Promise<ApiError | undefined> {
    let slot: Slot | undefined;
    /** The error of the last write whose result is unknown. */
    let lost: unknown;
    let attempt = 1;
    let invalidResponses = 0;
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
          // A write would check the etag. Without a write, only a read shows whether the known policy is current.
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
          if (isLost && !isTransient(error)) invalidResponses += 1;
          if (!isWorthAnotherCycle(error) || invalidResponses > MOST_INVALID_RESPONSES) throw error;
          const delay = delayOfCycle(error, attempt, isFresh, call.clock);
          if (call.clock.now() + delay >= call.deadline) throw error;
          call.reporter.status(
            `Somebody else changed the access policy, or the response was lost: reading it again (${attempt})`,
          );
          attempt += 1;
          await pause(call, delay, this.doing);
        }
      }
    } finally {
      slot?.release();
    }
  }

  /**
   * Finds out whether the API refused a batch because of the policy that it was to change, and not because of a change: for a
   * batch of several changes, it writes the policy back without a change, unless the API's decision on this policy is known. With
   * the etag of the read, this write changes nothing and overwrites nobody's change.
   *
   * @param refusal the result of `run` for the batch.
   * @returns the refusal with a hint, if the API refuses the unchanged policy with the same message. Undefined if the API accepts
   *   it, if that is unknown, or if the message differs: then a change is bad too, and another one may repair the policy.
   */
  async refusalOfUnchanged(
    refusal: ApiError,
    batch: readonly PendingChange[],
    call: SharedCall,
  ): Promise<ApiError | undefined> {
    const policy = this.known?.policy;
    if (!policy) return undefined;
    if (this.decision?.etag !== policy.etag && batch.length > 1) await this.writeUnchanged(policy, batch, call);
    const { etag, refused } = this.decision ?? {};
    return etag === policy.etag && refused === refusal.cloudMessage ? refusal.withHint(REFUSED_UNCHANGED) : undefined;
  }

  /**
   * Records in `decision` whether the API accepts the policy without a change. If somebody else wrote first, or the write fails in
   * another way, this stays unknown: the cycle of the next changes deals with such failures, and may ask again.
   */
  private async writeUnchanged(policy: Policy, batch: readonly PendingChange[], call: SharedCall): Promise<void> {
    try {
      const slot = this.pacer.tryTake() ?? (await this.pacer.take(call, this.doing, batch[0]?.call.reporter));
      slot.use();
      await this.write(policy, { changed: policy, changing: [] }, call);
    } catch (error) {
      if (isRefusalOfContent(error)) this.decision = { etag: policy.etag, refused: error.cloudMessage };
    }
  }

  /**
   * Returns the policy that the cycle changes: the API's recent answer, or a fresh read.
   *
   * @param lost the error of a write that may have been made. If the read fails, the changes of that write end with it.
   */
  private async current(
    batch: readonly PendingChange[],
    lost: unknown,
    call: SharedCall,
  ): Promise<{ policy: Policy; isFresh: boolean }> {
    if (this.known && call.clock.now() - this.known.at < KNOWN_FOR_MS) {
      return { policy: this.known.policy, isFresh: false };
    }
    try {
      const policy = withEtag(this.doing, await readPolicy(this.target, 3, call), "none");
      for (const each of batch) each.isUncertain = false;
      this.known = { policy, at: call.clock.now() };
      return { policy, isFresh: true };
    } catch (error) {
      // If the resource does not exist, the lost write cannot have changed a policy.
      if (lost !== undefined && !(error instanceof NotFoundError)) {
        for (const each of batch.filter(({ isUncertain }) => isUncertain)) {
          each.call.reporter.info(
            `It is unknown whether the change was made, because the policy could not be read: ${messageOf(error)}`,
          );
          each.reject(lost);
        }
      }
      throw error;
    }
  }

  private async write(
    read: Policy,
    { changed, changing }: Pick<AppliedBatch, "changed" | "changing">,
    call: SharedCall,
  ): Promise<Policy> {
    for (const each of changing) each.isUncertain = true;
    let effect: Effect = "done";
    try {
      const policy = withEtag(this.doing, await writePolicy(this.target, policyToSend(read, changed), call), "unknown");
      this.known = { policy, at: call.clock.now() };
      this.decision = { etag: policy.etag };
      return policy;
    } catch (error) {
      effect = effectOf(error);
      if (effect === "none") for (const each of changing) each.isUncertain = false;
      // The policy that was read stays valid when the API refuses the content of a write. The next batch can begin with it.
      if (!isRefusalOfContent(error)) this.known = undefined;
      throw error;
    } finally {
      this.written(read, effect === "none" ? read : changed);
    }
  }
}

/** Whether, after this error, the policy may have changed or the write may have been made. Another read shows which. */
function isWorthAnotherCycle(error: unknown): boolean {
  return effectOf(error) === "unknown" || isTransient(error) || (error instanceof ApiError && isConflict(error));
}

/**
 * Returns the wait before the next cycle, in milliseconds.
 *
 * @param isFresh false when this cycle began with a known policy. Then a conflict may come from an older change, so the next
 *   cycle begins at once.
 */
function delayOfCycle(error: unknown, attempt: number, isFresh: boolean, clock: Clock): number {
  if (!(error instanceof ApiError && isConflict(error))) return delayAfter(error, attempt, clock);
  return isFresh ? delayAfter(error, Math.min(attempt, LONGEST_CONFLICT_STEP), clock) : 0;
}

/** The result of applying a batch of changes to a policy, before it is written. */
interface AppliedBatch {
  changed: Policy;
  accepted: PendingChange[];
  /** The accepted changes that have an effect. */
  changing: PendingChange[];
  refused: { change: PendingChange; refusal: RefusedError }[];
}

/** Applies the allowed changes one after another, and refuses the others one by one. */
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
 * Settles the changes of a batch that was written or changes nothing. Refusals become final only here, because a change may be
 * allowed in another attempt: with another policy, or without a bad change in the batch.
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

/**
 * Refuses to write back a policy that was read without its conditions, because they would be lost. Returns undefined when no
 * condition is hidden.
 */
export function hiddenConditionRefusal(resource: string, read: Policy): RefusedError | undefined {
  const hidden = (read.bindings ?? []).filter((binding) => HIDDEN_CONDITION.test(binding.role ?? ""));
  if (hidden.length === 0) return undefined;
  return new RefusedError(
    `Refused to change the access policy of ${resource}: the API's response lacks the conditions of ${hidden.length} ` +
      "binding(s), and writing the policy back would delete them permanently",
  );
}
