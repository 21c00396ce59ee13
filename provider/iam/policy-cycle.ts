import { ApiError, effectOf, messageOf, NotFoundError, RefusedError } from "../core/errors";
import { endOf, onAbort, pause, type Call } from "../http/call";
import type { Clock } from "../http/clock";
import { delayAfter, isConflict, isTransient } from "../http/retry";
import { limitRefusal } from "./limits";
import { lockOutRefusal, lockOutWarning, type PolicyAdmins } from "./lockout";
import type { Pacer, Slot } from "./pacer";
import type { Policy } from "./policy";
import { isRefusalOfContent } from "./refusals";
import { storedOtherwise, type StoredOtherwise } from "./stored-otherwise";

/**
 * After this number of conflicts, the wait no longer grows. A conflict shows that another write succeeded, so the API works.
 */
const LONGEST_CONFLICT_STEP = 4;
/** How often a write is repeated after an invalid answer. Further attempts would probably get the same answer. */
const MOST_INVALID_RESPONSES = 2;

/** A change of a policy, with its restrictions. */
export interface PolicyChange {
  /** A pure function. It returns the same object when nothing changes. */
  apply(policy: Policy): Policy;
  /** The administrators that must keep their access. Absent if the change may remove any grant. */
  admins?: PolicyAdmins;
}

/**
 * A change that has no outcome yet. The outcome is the changed policy, an error, or the end of its own call, whichever comes
 * first.
 */
export class PendingChange {
  readonly outcome: Promise<Policy>;
  /** Whether a write with this change was sent, and its result is unknown. */
  isUncertain = false;
  /** Whether the result of any write with this change is unknown. */
  mayBeMade = false;
  /**
   * The time when the API first refused the change because it did not know the identity yet, in milliseconds since the epoch.
   */
  unknownSince?: number;
  /** The warning about the change as it was last applied, if it locks somebody out. */
  warning: string | undefined;
  private settled = false;
  private fulfil!: (policy: Policy) => void;
  private refuse!: (error: unknown) => void;
  private readonly removeListener: () => void;

  /** @param doing for messages: "change the access policy of the FHIR store projects/…". */
  constructor(
    readonly change: PolicyChange,
    readonly call: Call,
    private readonly doing: string,
  ) {
    this.outcome = new Promise<Policy>((resolve, reject) => {
      this.fulfil = resolve;
      this.refuse = reject;
    });
    this.removeListener = onAbort(call.signal, () => this.end());
  }

  /** Whether the change has no outcome yet. Writes contain only such changes. */
  get isOpen(): boolean {
    return !this.settled;
  }

  resolve(policy: Policy): void {
    this.settled = true;
    this.removeListener();
    this.fulfil(policy);
  }

  reject(error: unknown): void {
    this.settled = true;
    this.removeListener();
    this.refuse(error);
  }

  private end(): void {
    this.settled = true;
    this.removeListener?.();
    this.refuse(endOf(this.call, this.doing, this.isUncertain ? "unknown" : "none"));
  }
}

/** The policy that a cycle changes. */
export interface CycledPolicy {
  /** The relative name of its resource. */
  readonly resource: string;
  /** For messages: "change the access policy of the FHIR store projects/…". */
  readonly doing: string;
  readonly pacer: Pacer;
  /** The API's recent answer, or the answer of a read. */
  current(call: Call): Promise<{ policy: Policy; isFresh: boolean }>;
  /** Makes `current` read the policy. */
  forget(): void;
  /** @param read with the etag that the policy must still have. */
  write(read: Policy, changed: Policy, call: Call): Promise<Policy>;
}

/** A batch whose content the API refused. */
export interface RefusedBatch {
  kind: "refused";
  /** The policy that the batch was to change. */
  policy: Policy;
  refusal: ApiError;
}

/** A batch of which the API stored other grants than were sent, and it is not sure whose they are. */
export interface UnclearBatch {
  kind: "unclear";
  /** The policy as the other changes of the batch make it. */
  wanted: Policy;
  stored: Policy;
  /** The changes that stay open. */
  others: ReadonlyMap<PendingChange, StoredOtherwise>;
}

/**
 * Read-modify-write of one policy: reads it with version 3, changes a copy, and writes the copy with the etag of the read.
 * After a conflict or a lost answer the cycle begins again, and the read shows whether the change was made. docs/wire.md
 * section 9, "Read-modify- write that loses nothing". It makes the changes of a batch, and settles them.
 *
 * @returns undefined when the changes are settled; or why some of them stay open.
 * @throws every other error; it applies to all open changes.
 */
export async function runCycle(
  target: CycledPolicy,
  batch: readonly PendingChange[],
  call: Call,
): Promise<RefusedBatch | UnclearBatch | undefined> {
  const { resource, doing, pacer } = target;
  let slot: Slot | undefined;
  /** The error of the last write whose result is unknown. */
  let lost: unknown;
  let attempt = 1;
  let invalidResponses = 0;
  try {
    for (;;) {
      if (!batch.some((each) => each.isOpen)) return undefined;
      const { policy, isFresh } = await currentFor(target, batch, lost, call);
      // Changes end while the cycle waits. From here on nothing waits before the write, so it has only open changes.
      const open = batch.filter((each) => each.isOpen);
      const applied = applyBatch(resource, policy, open);
      if (applied.changed === policy) {
        if (isFresh) {
          settleBatch(applied, policy);
          return undefined;
        }
        // A write would check the etag. Without a write, only a read shows whether the known policy is current.
        target.forget();
        continue;
      }
      const hidden = hiddenConditionRefusal(resource, policy);
      if (hidden) throw hidden;
      slot ??= pacer.tryTake(call.clock);
      if (!slot) {
        slot = await pacer.take(call, doing, open[0]?.call.reporter);
        // The policy may have changed during the wait, so the cycle begins again, now with a slot.
        target.forget();
        continue;
      }
      slot.use();
      slot = undefined;
      try {
        return settleWritten(policy, applied, await writeBatch(target, policy, applied, call));
      } catch (error) {
        if (isRefusalOfContent(error)) return { kind: "refused", policy, refusal: error };
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
        await pause(call, delay, doing);
      }
    }
  } finally {
    slot?.release();
  }
}

/**
 * Returns the policy that the cycle changes.
 *
 * @param lost the error of a write that may have been made. If the read fails, the changes of that write end with it.
 */
async function currentFor(
  target: CycledPolicy,
  batch: readonly PendingChange[],
  lost: unknown,
  call: Call,
): Promise<{ policy: Policy; isFresh: boolean }> {
  try {
    const current = await target.current(call);
    const { policy, isFresh } = current;
    // Where the policy has what a change wanted, its lost write may have made it.
    if (isFresh) for (const each of batch) each.isUncertain &&= each.change.apply(policy) === policy;
    return current;
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

async function writeBatch(
  target: CycledPolicy,
  read: Policy,
  { changed, changing }: AppliedBatch,
  call: Call,
): Promise<Policy> {
  for (const each of changing) each.isUncertain = true;
  try {
    return await target.write(read, changed, call);
  } catch (error) {
    const isMade = effectOf(error) !== "none";
    for (const each of changing) {
      each.isUncertain = isMade;
      each.mayBeMade ||= isMade;
    }
    throw error;
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
    pending.warning = admins && lockOutWarning(resource, changed, next, admins);
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
  for (const pending of accepted) {
    if (pending.isOpen && pending.warning !== undefined) pending.call.reporter.warning(pending.warning);
    pending.resolve(policy);
  }
  for (const { change, refusal } of refused) change.reject(refusal);
}

/** Settles the changes of a batch by the policy that the API stored. */
function settleWritten(read: Policy, applied: AppliedBatch, stored: Policy): UnclearBatch | undefined {
  const others = storedOtherwise(applied.changed, stored, applied.changing);
  const accepted = applied.accepted.filter((each) => !others.has(each));
  settleBatch({ ...applied, accepted }, stored);
  const isUnclear = [...others].some(([each, { isSure }]) => !isSure && !each.mayBeMade);
  if (!isUnclear) {
    for (const [pending, other] of others) pending.reject(other);
    return undefined;
  }
  return {
    kind: "unclear",
    wanted: accepted.reduce((policy, each) => each.change.apply(policy), read),
    stored,
    others,
  };
}

/**
 * A service that does not support policy version 3 answers a condition as part of the role's name:
 * `roles/viewer_withcond_` and 20 hexadecimal digits (docs/wire.md section 9;
 * https://cloud.google.com/iam/docs/troubleshooting-withcond).
 */
const HIDDEN_CONDITION = /_withcond_[0-9a-f]{20}$/;

/** Whether the API answered the condition of a binding as part of its role. */
export function hasHiddenCondition({ role = "" }: { role?: string }): boolean {
  return HIDDEN_CONDITION.test(role);
}

/**
 * Refuses to write back a policy that was read without its conditions, because they would be lost. Returns undefined when no
 * condition is hidden.
 */
export function hiddenConditionRefusal(resource: string, read: Policy): RefusedError | undefined {
  const hidden = (read.bindings ?? []).filter(hasHiddenCondition);
  if (hidden.length === 0) return undefined;
  return new RefusedError(
    `Refused to change the access policy of ${resource}: the API's response lacks the conditions of ${hidden.length} ` +
      "binding(s), and writing the policy back would delete them permanently",
  );
}
