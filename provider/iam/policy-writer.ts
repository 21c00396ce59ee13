import { ApiError, effectOf, NotFoundError, type RefusedError } from "../core/errors";
import { pause } from "../http/call";
import type { Clock } from "../http/clock";
import { delayAfter } from "../http/delays";
import { isConflict, isTransient } from "../http/retryable";
import { limitRefusal } from "./limits";
import { hiddenConditionRefusal } from "./hidden-conditions";
import { lockOutRefusal } from "./lockout";
import type { Pacer, Slot } from "./pacer";
import type { PendingChange } from "./pending-change";
import { policyToSend, type Policy } from "./policy";
import { readPolicy, withEtag, writePolicy, type PolicyTarget } from "./policy-api";
import { isRefusalOfContent, isUnknownIdentity } from "./refusals";
import { SharedCall } from "./shared-call";

/** How long the first change waits for others that the engine sends at the same time. */
const GATHER_MS = 10;
/** How long a policy that was answered is worth beginning the next cycle with, instead of a read. */
const KNOWN_FOR_MS = 2_000;
/** After so many conflicts the wait grows no more: somebody else got through, so the API has nothing to recover from. */
const LONGEST_CONFLICT_STEP = 4;
/** How long a member that was just created may still be unknown to the API. */
const FRESH_IDENTITY_MS = 60_000;
/** How often a write is made again after an answer that makes no sense and is not likely to make more. */
const MOST_SENSELESS_ANSWERS = 2;

/**
 * The one writer of a policy in this process. Changes that wait at the same time become one read-modify-write cycle:
 * read with version 3, change a copy, write with the etag just read, and from the beginning after a conflict or a lost
 * answer, which reading again resolves. Wire reference section 9, "Read-modify-write that loses nothing".
 */
export class PolicyWriter {
  private waiting: PendingChange[] = [];
  private isWorking = false;
  /** What the API answered last: the next cycle begins there, and its etag tells if somebody was faster. */
  private known: { policy: Policy; at: number } | undefined;
  private readonly clock: Clock;
  private readonly doing: string;

  /** @param written is called when a write has ended, whatever became of it: what was read before is outdated. */
  constructor(
    private readonly target: PolicyTarget,
    private readonly pacer: Pacer,
    private readonly written: () => void,
  ) {
    this.clock = target.client.clock;
    this.doing = doingTo(target);
  }

  /** Takes a change into the next batch, and settles it some time. */
  add(change: PendingChange): void {
    this.waiting.push(change);
    if (!this.isWorking) void this.work();
  }

  /** Works until nobody waits any more. Never throws: each change gets its own outcome. */
  private async work(): Promise<void> {
    this.isWorking = true;
    await this.clock.sleep(GATHER_MS);
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      await this.settle(batch);
    }
    this.isWorking = false;
  }

  private async settle(batch: readonly PendingChange[]): Promise<void> {
    const open = batch.filter((each) => each.isOpen);
    if (open.length === 0) return;
    const call = new SharedCall(this.clock);
    for (const each of open) {
      const leave = call.join(each.call);
      each.outcome.then(leave, leave);
    }
    const refusal = await this.cycle(open, call).catch((error: unknown) => {
      for (const each of open) if (each.isOpen) each.reject(error);
      return undefined;
    });
    const left = open.filter((each) => each.isOpen);
    const [only, ...others] = left;
    if (refusal === undefined || only === undefined) return;
    if (others.length === 0) {
      this.refused(only, refusal);
      return;
    }
    // At least one of them is bad, and the server does not say which: halve until it stands alone.
    const middle = Math.ceil(left.length / 2);
    await this.settle(left.slice(0, middle));
    await this.settle(left.slice(middle));
  }

  /** An identity that was just created is not known everywhere at once: such a change waits its turn again. */
  private refused(change: PendingChange, refusal: ApiError): void {
    if (!isUnknownIdentity(refusal)) {
      change.reject(refusal);
      return;
    }
    change.unknownSince ??= this.clock.now();
    const delay = 1_000 + delayAfter(undefined, 2, this.clock);
    const until = Math.min(change.unknownSince + FRESH_IDENTITY_MS, change.call.deadline);
    if (this.clock.now() + delay >= until) {
      change.reject(refusal);
      return;
    }
    change.call.reporter.status("The API does not know this member yet; trying again");
    const again = () => void (change.isOpen && this.add(change));
    this.clock.sleep(delay, change.call.signal).then(again, again);
  }

  /**
   * Writes one batch and settles its changes. Where the API refuses what they make of the policy, answers the refusal and
   * leaves them open.
   *
   * @throws whatever else befalls all of them.
   */
  private async cycle(batch: readonly PendingChange[], call: SharedCall): Promise<ApiError | undefined> {
    let slot: Slot | undefined;
    /** The last write of which nobody knows whether it was made. */
    let lost: unknown;
    let attempt = 1;
    let senseless = 0;
    try {
      for (;;) {
        const open = batch.filter((each) => each.isOpen);
        if (open.length === 0) return undefined;
        const { policy, isFresh } = await this.current(open, lost, call);
        const outcome = applyAll(this.target.resource, policy, open);
        if (outcome.changed === policy) {
          if (isFresh) return conclude(outcome, policy);
          // Only a write proves, by its etag, that what we knew still holds; without one we must look.
          this.known = undefined;
          continue;
        }
        const hidden = hiddenConditionRefusal(this.target.resource, policy);
        if (hidden) throw hidden;
        slot ??= this.pacer.tryTake();
        if (!slot) {
          slot = await this.pacer.take(call, this.doing);
          // After the wait the etag would be old: the cycle begins again, now with a place in the quota.
          this.known = undefined;
          continue;
        }
        slot.use();
        slot = undefined;
        try {
          return conclude(outcome, await this.write(policy, outcome, call));
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

  /** The policy that the next cycle changes: what the API answered a moment ago, or a fresh read. */
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
      // What became of the lost write stays unknown, so its changes end with its error. A resource that is gone has no
      // policy in which it could have been made.
      if (lost !== undefined && !(error instanceof NotFoundError)) {
        for (const each of batch.filter(({ isUncertain }) => isUncertain)) {
          each.call.reporter.info(`What became of the change could not be read: ${(error as Error).message}`);
          each.reject(lost);
        }
      }
      throw error;
    }
  }

  private async write(read: Policy, { changed, changing }: Outcome, call: SharedCall): Promise<Policy> {
    for (const each of changing) each.isUncertain = true;
    try {
      const policy = withEtag(this.doing, await writePolicy(this.target, policyToSend(read, changed), call), "unknown");
      this.known = { policy, at: this.clock.now() };
      return policy;
    } catch (error) {
      if (effectOf(error) === "none") for (const each of changing) each.isUncertain = false;
      // A refusal of the content says nothing against the policy that was read: the halves of the batch begin with it.
      if (!isRefusalOfContent(error)) this.known = undefined;
      throw error;
    } finally {
      this.written();
    }
  }
}

/** After these, what the policy holds is not what was read, or not known: reading again tells. */
function isWorthAnotherCycle(error: unknown): boolean {
  return effectOf(error) === "unknown" || isTransient(error) || (error instanceof ApiError && isConflict(error));
}

/** @param isFresh false where nothing was read for this attempt: that somebody was faster says nothing of a race now. */
function delayOfCycle(error: unknown, attempt: number, isFresh: boolean, clock: Clock): number {
  if (!(error instanceof ApiError && isConflict(error))) return delayAfter(error, attempt, clock);
  return isFresh ? delayAfter(error, Math.min(attempt, LONGEST_CONFLICT_STEP), clock) : 0;
}

/** For messages. */
export function doingTo({ kind, resource }: PolicyTarget): string {
  return `change the access policy of ${kind} ${resource}`;
}

/** What becomes of the changes of one batch, should the changed policy be written. */
interface Outcome {
  changed: Policy;
  accepted: PendingChange[];
  /** Those of the accepted that change anything. */
  changing: PendingChange[];
  refused: { change: PendingChange; why: RefusedError }[];
}

/** Applies each change that may be made; one that may not leaves the others as they are. */
function applyAll(resource: string, read: Policy, batch: readonly PendingChange[]): Outcome {
  const outcome: Outcome = { changed: read, accepted: [], changing: [], refused: [] };
  for (const each of batch) {
    const { apply, admins } = each.change;
    const { changed } = outcome;
    const next = apply(changed);
    const why =
      next === changed
        ? undefined
        : ((admins && lockOutRefusal(resource, changed, next, admins)) ?? limitRefusal(resource, changed, next));
    if (why) {
      outcome.refused.push({ change: each, why });
      continue;
    }
    outcome.accepted.push(each);
    if (next !== changed) outcome.changing.push(each);
    outcome.changed = next;
  }
  return outcome;
}

/** Refusals stand only now: another attempt, or a batch without a bad one, may have had room for them. */
function conclude({ accepted, refused }: Outcome, policy: Policy): undefined {
  for (const each of accepted) each.resolve(policy);
  for (const { change, why } of refused) change.reject(why);
}
