import { ApiError, BadAnswerError, CancelledError, ConnectionError, RefusedError, TimeoutError } from "../core/errors";
import { checkpoint, pause, type Call } from "../http/call";
import type { Clock } from "../http/clock";
import { delayAfter, isConflict, isQuotaDenial } from "../http/retry";
import { overLimit } from "./limits";
import { hiddenConditions, lockOut, type PolicyAdmins } from "./lockout";
import { Pacer } from "./pacer";
import { policyToSend, type Policy } from "./policy";
import { readPolicy, writePolicy, type PolicyTarget } from "./policy-api";
import type { PolicyReads } from "./policy-reads";

/** A change of a policy, and what it may do. */
export interface PolicyChange {
  /** Pure; answers the very policy it got when there is nothing to change. */
  apply(policy: Policy): Policy;
  /** Who can change the policy; a change that leaves nobody is refused. Absent: the change may do that. */
  keeps?: PolicyAdmins;
}

interface Waiting {
  target: PolicyTarget;
  change: PolicyChange;
  call: Call;
  /** When it first failed for an identity that the server does not know yet. */
  unknownSince?: number;
  resolve(policy: Policy): void;
  reject(error: unknown): void;
}

/** How long the first change waits for others that the engine sends at the same time. */
const GATHER_MS = 10;
/** How long the answer to a write is worth beginning the next cycle with, instead of a read. */
const KNOWN_FOR_MS = 2_000;
/** After so many conflicts the wait grows no more: somebody else got through, so the API has nothing to recover from. */
const LONGEST_CONFLICT_STEP = 4;
/** How long a member that was just created may still be unknown to the API. */
const FRESH_IDENTITY_MS = 60_000;

/**
 * One writer for each policy in this process. Changes that wait for the same resource become one read-modify-write
 * cycle: read with version 3, change a copy, write with the etag just read, and from the beginning after a conflict or
 * a lost answer, which reading again resolves. Wire reference section 9, "Read-modify-write that loses nothing".
 */
export class PolicyQueue {
  private readonly waiting = new Map<string, Waiting[]>();
  private readonly pacers = new Map<string, Pacer>();
  /** What our last write answered: the next cycle begins there, and its etag tells if somebody was faster. */
  private readonly written = new Map<string, { policy: Policy; at: number }>();

  constructor(private readonly reads: PolicyReads) {}

  /**
   * The policy after the change.
   *
   * @throws RefusedError when the change would lock everybody out, exceed the limits or lose conditions; ApiError and
   *   the transport's other errors. A change that is refused fails alone, whatever it was written together with.
   */
  change(target: PolicyTarget, change: PolicyChange, call: Call): Promise<Policy> {
    return new Promise((resolve, reject) => this.enqueue({ target, change, call, resolve, reject }));
  }

  private enqueue(entry: Waiting): void {
    const { target } = entry;
    const others = this.waiting.get(target.resource);
    if (others) {
      others.push(entry);
      return;
    }
    this.waiting.set(target.resource, [entry]);
    void this.drain(target);
  }

  /** Works until nobody waits for this resource any more. Never throws: each change gets its own outcome. */
  private async drain(target: PolicyTarget): Promise<void> {
    await target.client.clock.sleep(GATHER_MS).catch(() => {});
    for (;;) {
      const batch = this.waiting.get(target.resource) ?? [];
      if (batch.length === 0) {
        this.waiting.delete(target.resource);
        return;
      }
      this.waiting.set(target.resource, []);
      await this.settle(target, batch);
    }
  }

  private async settle(target: PolicyTarget, batch: readonly Waiting[]): Promise<void> {
    const live = batch.filter((entry) => !rejectIfOver(entry));
    if (live.length === 0) return;
    const { call, release } = sharedCall(live.map((each) => each.call));
    try {
      await this.cycle(target, live, call);
    } catch (error) {
      const [only, ...others] = live;
      if (only && others.length === 0) {
        this.failed(only, error);
      } else if (error instanceof ApiError && error.status === "INVALID_ARGUMENT") {
        // One of them is bad, and the server does not say which: halve until it stands alone.
        const middle = Math.ceil(live.length / 2);
        await this.settle(target, live.slice(0, middle));
        await this.settle(target, live.slice(middle));
      } else {
        for (const each of live) each.reject(error);
      }
    } finally {
      release();
    }
  }

  /** An identity that was just created is not known everywhere at once: such a change waits its turn again. */
  private failed(entry: Waiting, error: unknown): void {
    const { clock } = entry.target.client;
    if (!isUnknownIdentity(error)) {
      entry.reject(error);
      return;
    }
    entry.unknownSince ??= clock.now();
    const delay = 1_000 + delayAfter(undefined, 2, clock);
    const until = Math.min(entry.unknownSince + FRESH_IDENTITY_MS, entry.call.deadline);
    if (clock.now() + delay >= until) {
      entry.reject(error);
      return;
    }
    entry.call.reporter.status("The API does not know this member yet; trying again");
    clock.sleep(delay, entry.call.signal).then(
      () => this.enqueue(entry),
      () => entry.reject(new CancelledError("Stopped while waiting for a new identity to become known")),
    );
  }

  /** One batch, until it is written: resolves or rejects each entry, or throws what befalls them all. */
  private async cycle(target: PolicyTarget, batch: readonly Waiting[], call: Call): Promise<void> {
    const { resource, client } = target;
    const { clock } = client;
    for (let attempt = 1; ; attempt++) {
      const entries = batch.filter((entry) => !rejectIfOver(entry));
      if (entries.length === 0) return;
      const known = attempt === 1 ? this.lastWritten(target) : undefined;
      let read = known ?? withEtag(target, await readPolicy(target, 3, call));
      let outcome = applyAll(resource, read, entries);
      if (known && outcome.changed === read) {
        // Only a write proves, by its etag, that what we knew still holds; without one we must look.
        read = withEtag(target, await readPolicy(target, 3, call));
        outcome = applyAll(resource, read, entries);
      }
      if (outcome.changed === read) return conclude(outcome, read);
      const hidden = hiddenConditions(resource, read);
      if (hidden) throw hidden;
      try {
        await this.pacer(target).admit(call, doingTo(target));
        const answer = withEtag(target, await writePolicy(target, policyToSend(read, outcome.changed), call));
        this.written.set(resource, { policy: answer, at: clock.now() });
        return conclude(outcome, answer);
      } catch (error) {
        this.written.delete(resource);
        if (!isWorthAnotherCycle(error)) throw error;
        const delay = delayOfCycle(error, attempt, known !== undefined, clock);
        if (clock.now() + delay >= call.deadline) throw error;
        call.reporter.status(
          `Somebody else changed the access policy, or the answer was lost: reading it again (${attempt})`,
        );
        await pause(call, clock, delay, doingTo(target));
      } finally {
        this.reads.drop(resource);
      }
    }
  }

  private lastWritten({ resource, client }: PolicyTarget): Policy | undefined {
    const last = this.written.get(resource);
    return last && client.clock.now() - last.at < KNOWN_FOR_MS ? last.policy : undefined;
  }

  private pacer(target: PolicyTarget): Pacer {
    const key = target.api ?? "";
    const pacer = this.pacers.get(key) ?? new Pacer(target.writesPerMinute, target.client.clock);
    this.pacers.set(key, pacer);
    return pacer;
  }
}

/** @param unread nothing was read for this attempt: that somebody was faster says nothing of a race now. */
function delayOfCycle(error: unknown, attempt: number, unread: boolean, clock: Clock): number {
  if (!(error instanceof ApiError && isConflict(error))) return delayAfter(error, attempt, clock);
  return unread ? 0 : delayAfter(error, Math.min(attempt, LONGEST_CONFLICT_STEP), clock);
}

/** Every policy has an etag; to write one without would overwrite whatever is there. */
function withEtag(target: PolicyTarget, policy: Policy): Policy {
  if (policy.etag !== undefined) return policy;
  throw new BadAnswerError(
    `Could not ${doingTo(target)}: the API answered without the policy's etag, so that ` +
      "may not be the policy, and writing it could undo what others granted",
  );
}

function doingTo({ kind, resource }: PolicyTarget): string {
  return `change the access policy of ${kind} ${resource}`;
}

/** What becomes of the changes of one batch, should the changed policy be written. */
interface Outcome {
  changed: Policy;
  accepted: Waiting[];
  refused: { entry: Waiting; why: RefusedError }[];
}

/** Applies each change that may be made; one that may not leaves the others as they are. */
function applyAll(resource: string, read: Policy, batch: readonly Waiting[]): Outcome {
  const outcome: Outcome = { changed: read, accepted: [], refused: [] };
  for (const entry of batch) {
    const { changed } = outcome;
    const next = entry.change.apply(changed);
    const why =
      next === changed
        ? undefined
        : ((entry.change.keeps && lockOut(resource, changed, next, entry.change.keeps)) ??
          overLimit(resource, changed, next));
    if (why) {
      outcome.refused.push({ entry, why });
    } else {
      outcome.changed = next;
      outcome.accepted.push(entry);
    }
  }
  return outcome;
}

/** Refusals stand only now: another attempt, or a batch without a bad one, may have had room for them. */
function conclude({ accepted, refused }: Outcome, policy: Policy): void {
  for (const entry of accepted) entry.resolve(policy);
  for (const { entry, why } of refused) entry.reject(why);
}

/** A change whose call ended while it waited is not made any more. */
function rejectIfOver(entry: Waiting): boolean {
  try {
    checkpoint(entry.call, entry.target.client.clock, doingTo(entry.target));
    return false;
  } catch (error) {
    entry.reject(error);
    return true;
  }
}

/** The one 400 that time may heal. The API gives it no reason of its own, so its words must do. */
function isUnknownIdentity(error: unknown): boolean {
  return error instanceof ApiError && error.status === "INVALID_ARGUMENT" && /does not exist/i.test(error.cloudMessage);
}

/** After these, what the policy holds is not what was read, or not known: reading again tells. */
function isWorthAnotherCycle(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof TimeoutError || error instanceof BadAnswerError) return true;
  if (!(error instanceof ApiError)) return false;
  return (
    isConflict(error) ||
    isQuotaDenial(error) ||
    ["UNAVAILABLE", "INTERNAL", "UNKNOWN", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED"].includes(error.status)
  );
}

/** One call for several: it lasts as long as the longest, and stops when all have been told to stop. */
function sharedCall(calls: readonly Call[]): { call: Call; release(): void } {
  const controller = new AbortController();
  const signals = new Set(calls.map((each) => each.signal));
  const stopIfAllDid = () => {
    if (calls.every((each) => each.signal.aborted)) controller.abort(calls[0]?.signal.reason);
  };
  for (const signal of signals) signal.addEventListener("abort", stopIfAllDid);
  stopIfAllDid();
  const call: Call = {
    signal: controller.signal,
    deadline: Math.max(...calls.map((each) => each.deadline)),
    reporter: {
      status: (message) => calls.forEach((each) => each.reporter.status(message)),
      info: (message) => calls.forEach((each) => each.reporter.info(message)),
      warning: (message) => calls.forEach((each) => each.reporter.warning(message)),
    },
  };
  return {
    call,
    release: () => signals.forEach((signal) => signal.removeEventListener("abort", stopIfAllDid)),
  };
}
