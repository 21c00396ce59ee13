import type { ApiError } from "../core/errors";
import type { Clock } from "../http/clock";
import { delayAfter } from "../http/retry";
import type { Pacer } from "./pacer";
import type { PendingChange } from "./pending-change";
import type { Policy } from "./policy";
import { doingToPolicy, type PolicyTarget } from "./policy-api";
import { PolicyCycle } from "./policy-cycle";
import { isUnknownIdentity } from "./refusals";
import { SharedCall } from "./shared-call";

/** How long the first change waits for others that the engine sends at the same time, in milliseconds. */
const GATHER_MS = 10;
/**
 * How long a change is repeated while the API does not know its member. A new service account may be unknown for a minute or
 * more after its creation: https://cloud.google.com/iam/docs/service-accounts-create#creating.
 */
const FRESH_IDENTITY_MS = 60_000;

/**
 * The only writer of a policy in this process. Changes that wait at the same time form a batch, with one read-modify-write
 * cycle. When the API refuses a batch, the batch is halved until the bad change is alone, unless the API refuses the policy even
 * without a change: then all changes of the batch fail together.
 */
export class PolicyWriter {
  private waiting: PendingChange[] = [];
  private isWorking = false;
  private readonly cycle: PolicyCycle;

  /** @param written as of `PolicyCycle`. */
  constructor(target: PolicyTarget, pacer: Pacer, written: (before: Policy, after: Policy) => void) {
    this.cycle = new PolicyCycle(target, pacer, doingTo(target), written);
  }

  /** Adds a change to the next batch, and settles it later. */
  add(change: PendingChange): void {
    this.waiting.push(change);
    if (!this.isWorking) void this.work(change.call.clock);
  }

  /** Makes changes until none is waiting. It never throws, because each change gets its own outcome. */
  private async work(clock: Clock): Promise<void> {
    this.isWorking = true;
    await clock.sleep(GATHER_MS);
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      await this.settle(batch);
    }
    this.isWorking = false;
  }

  private async settle(batch: readonly PendingChange[]): Promise<void> {
    const open = batch.filter((each) => each.isOpen);
    const [first] = open;
    if (!first) return;
    const call = new SharedCall(first.call.clock);
    for (const each of open) {
      const leave = call.join(each.call);
      each.outcome.then(leave, leave);
    }
    const refusal = await this.cycle.run(open, call).catch((error: unknown) => {
      for (const each of open) if (each.isOpen) each.reject(error);
      return undefined;
    });
    if (refusal === undefined) return;
    const refused = open.filter((each) => each.isOpen);
    const whole = await this.cycle.refusalOfUnchanged(refusal, refused, call);
    const left = refused.filter((each) => each.isOpen);
    if (whole || left.length <= 1) {
      this.refuse(left, whole ?? refusal, call.clock);
      return;
    }
    // The API does not name the bad change.
    const middle = Math.ceil(left.length / 2);
    await this.settle(left.slice(0, middle));
    await this.settle(left.slice(middle));
  }

  /** Ends changes with the API's refusal. If the API may know the member soon, adds them again after a wait instead. */
  private refuse(changes: readonly PendingChange[], refusal: ApiError, clock: Clock): void {
    if (!isUnknownIdentity(refusal)) {
      for (const change of changes) change.reject(refusal);
      return;
    }
    // All of them wait for the same time, so that they form one batch again.
    const delay = 1_000 + delayAfter(undefined, 2, clock);
    for (const change of changes) {
      change.unknownSince ??= clock.now();
      const until = Math.min(change.unknownSince + FRESH_IDENTITY_MS, change.call.deadline);
      if (clock.now() + delay >= until) {
        change.reject(refusal);
        continue;
      }
      change.call.reporter.status("The API does not know a member yet; trying again");
      const again = () => void (change.isOpen && this.add(change));
      clock.sleep(delay, change.call.signal).then(again, again);
    }
  }
}

/** For messages. */
export function doingTo({ kind, resource }: PolicyTarget): string {
  return `${doingToPolicy.change(kind)} ${resource}`;
}
