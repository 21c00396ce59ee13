import { CancelledError, effectOf, TimeoutError, type ApiError, type Effect } from "../core/errors";
import { keyOf, type CloudResource } from "../core/reference";
import { getOrCompute } from "../core/once";
import { checkpoint, endOf, type Call } from "../http/call";
import type { Clock } from "../http/clock";
import { delayAfter } from "../http/retry";
import { SharedCall, SharedWork } from "../http/shared-work";
import { Pacer } from "./pacer";
import { accessChange, grantKey, policyToSend, type Grant, type Policy } from "./policy";
import { doingToPolicy, readPolicy, withEtag, writePolicy, type PolicyTarget } from "./policy-api";
import {
  PendingChange,
  runCycle,
  type CycledPolicy,
  type PolicyChange,
  type RefusedBatch,
  type UnclearBatch,
} from "./policy-cycle";
import { Propagation } from "./propagation";
import { isLimitOnRoles, isRefusalOfContent, isUnknownIdentity } from "./refusals";

/**
 * The access policies that this process reads and changes. Each has one object, which all resources and lookups use. The base
 * URL of the API and the name of the resource identify a policy, because two clouds may use the same names.
 */
export class PolicyStore {
  private readonly policies = new Map<string, LivePolicy>();
  private readonly pacers = new Map<string, Pacer>();

  /** @param waitForPropagation whether `waitUntilVisible` waits. If not, no policy keeps what its writes added. */
  constructor(private readonly waitForPropagation = false) {}

  /** @param resource the target's resource under the name that it has in all of this process (`ProjectIds`). Default: its own name. */
  of(
    target: PolicyTarget,
    resource: CloudResource = { url: target.client.baseUrl, name: target.resource },
  ): LivePolicy {
    const key = keyOf(resource);
    return getOrCompute(this.policies, key, () => new LivePolicy(target, this.pacer(target), this.waitForPropagation));
  }

  /** All resources of a service share one quota, in whatever version of its API they are. */
  private pacer({ client, api = "", writesPerMinute }: PolicyTarget): Pacer {
    const key = `${new URL(client.baseUrl).origin} ${api}`;
    return getOrCompute(this.pacers, key, () => new Pacer(writesPerMinute, api));
  }
}

/**
 * How long an answer of the API is used again, in milliseconds: long enough for the reads that the engine sends together, and
 * for batches one after the other; short, because changes by others stay unseen for this time. After that, it is released.
 */
const KNOWN_FOR_MS = 2_000;
/** How long the first change waits for others that the engine sends at the same time, in milliseconds. */
const GATHER_MS = 10;
/**
 * How long a change is repeated while the API does not know its member. A new service account may be unknown for a minute or
 * more after its creation: https://cloud.google.com/iam/docs/service-accounts-create#creating.
 */
const FRESH_IDENTITY_MS = 60_000;
/** The writer needs the conditions, which older formats hide. */
const WHOLE_POLICY = 3;
const OF_WRITER = "of the writer";
const REFUSED_UNCHANGED =
  "The API refuses this access policy even without a change. The cause is in the existing policy or in its resource, not in " +
  "this change";
const REFUSED_CALLER =
  "The API also refuses to write this access policy without a change: the provider's own identity may not change it, or a " +
  "condition on its role allows no role of this policy";

/**
 * One access policy: its reads, its changes, and what this process knows of it.
 *
 * This object is the only writer of the policy in this process. Changes that wait at the same time form a batch, with one
 * read-modify-write cycle. When the API refuses a batch, the batch is halved until the bad change is alone, unless the API
 * refuses the policy even without a change: then all changes of the batch fail together. Where the API stored
 * grants under other names and it is not sure whose they are, the write is undone, and each of these changes is made alone.
 */
export class LivePolicy implements CycledPolicy {
  readonly resource: string;
  readonly doing: string;
  /**
   * The recent answers of the API, by the version for previews and refreshes, and for the writer, whose next cycle begins with its
   * last answer: the etag shows whether the policy changed since then. A write replaces all of them.
   */
  private readonly known = new SharedWork<Policy>(KNOWN_FOR_MS);
  /**
   * Whether the API stores the policy with this etag without a change: it stored it in the last write, or it refused to, with
   * this message.
   */
  private decision: { etag: string | undefined; refused?: string } | undefined;
  /** The grants that writes of this process took out of the policy. */
  private readonly removed = new Set<string>();
  private waiting: PendingChange[] = [];
  private isWorking = false;
  private readonly propagation: Propagation;

  constructor(
    private readonly target: PolicyTarget,
    readonly pacer: Pacer,
    private readonly waitForPropagation: boolean,
  ) {
    this.resource = target.resource;
    this.doing = `${doingToPolicy.change(target.kind)} ${target.resource}`;
    this.propagation = new Propagation(target);
  }

  /**
   * Returns a policy that is at most two seconds old. Reads share the request, because the engine runs hundreds of previews and
   * refreshes at a time.
   *
   * @param version the newest format to answer with; below 3, the API hides conditions.
   * @throws ApiError and the transport's other errors; CancelledError and TimeoutError when the call itself ends.
   */
  async read(version: number, call: Call): Promise<Policy> {
    const doing = `${doingToPolicy.read(this.target.kind)} ${this.resource}`;
    for (;;) {
      checkpoint(call, doing);
      const joins = this.known.has(String(version), call);
      try {
        return await this.readKnown(String(version), version, doing, call);
      } catch (error) {
        // All callers get an error of the API. When only another caller's time is over, this caller sends a new request.
        if (!joins || !(error instanceof CancelledError || error instanceof TimeoutError)) throw error;
        checkpoint(call, doing);
      }
    }
  }

  /**
   * Returns the policy after the change. Changes that arrive together share one read and one write. Each change ends with its
   * own call, independently of the others. Warns when the change removes the last administrator on the resource.
   *
   * @throws RefusedError when the change would lock everybody out, exceed the limits or lose conditions; ApiError and the
   *   transport's other errors. A refused change fails alone; the others of the same write succeed. The error's `effect` is
   *   about this change: `unknown` when a write of it may have been made, else `none`. StoredOtherwise when the write was made,
   *   and the stored policy lacks grants of the change.
   */
  change(change: PolicyChange, call: Call): Promise<Policy> {
    const pending = new PendingChange(change, call, this.doing);
    if (pending.isOpen) this.add(pending);
    return pending.outcome;
  }

  /**
   * Waits until reads show the grants, except for those that no change of this process added: others made them, or an earlier
   * wait saw them. It warns, and throws nothing, if they are not visible within two minutes or before the end of the call.
   */
  waitUntilVisible(grants: readonly Grant[], call: Call): Promise<void> {
    return this.propagation.wait(grants, call);
  }

  /** Whether a write of this process took the grant out of the policy. */
  hasRemoved(grant: Grant): boolean {
    return this.removed.has(grantKey(grant));
  }

  async current(call: Call): Promise<{ policy: Policy; isFresh: boolean }> {
    const isFresh = !this.known.has(OF_WRITER, call);
    return { policy: await this.readKnown(OF_WRITER, WHOLE_POLICY, this.doing, call), isFresh };
  }

  forget(): void {
    this.known.drop();
  }

  async write(read: Policy, changed: Policy, call: Call): Promise<Policy> {
    let effect: Effect = "done";
    try {
      const policy = withEtag(this.doing, await writePolicy(this.target, policyToSend(read, changed), call), "unknown");
      this.forget();
      this.known.keep(OF_WRITER, policy, call);
      this.decision = { etag: policy.etag };
      for (const grant of accessChange(read, changed).lost) this.removed.add(grantKey(grant));
      return policy;
    } catch (error) {
      effect = effectOf(error);
      // The policy that was read stays valid when the API refuses the content of a write. The next batch can begin with it.
      if (!isRefusalOfContent(error)) this.forget();
      throw error;
    } finally {
      // If the result is unknown, the policy may have the grants that were sent.
      if (this.waitForPropagation && effect !== "none") this.propagation.written(read, changed);
    }
  }

  private readKnown(key: string, version: number, doing: string, call: Call): Promise<Policy> {
    const send = async (shared: Call) => withEtag(doing, await readPolicy(this.target, version, shared), "none");
    return this.known.run(key, call, () => endOf(call, doing), send);
  }

  /** Adds a change to the next batch, and settles it later. */
  private add(change: PendingChange): void {
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

  /** @param isRepeated whether an earlier write with these changes was undone. */
  private async settle(batch: readonly PendingChange[], isRepeated = false): Promise<void> {
    const open = batch.filter((each) => each.isOpen);
    const [first] = open;
    if (!first) return;
    const call = new SharedCall(first.call.clock);
    for (const each of open) {
      const leave = call.join(each.call);
      each.outcome.then(leave, leave);
    }
    const result = await runCycle(this, open, call).catch((error: unknown) => {
      for (const each of open) if (each.isOpen) each.reject(error);
      return undefined;
    });
    if (result === undefined) return;
    const stillOpen = () => open.filter((each) => each.isOpen);
    if (result.kind === "unclear") {
      const isUndone = !isRepeated && (await this.undo(result, call));
      for (const each of stillOpen()) {
        if (isUndone) await this.settle([each], true);
        else each.reject(result.others.get(each));
      }
      return;
    }
    const { refusal } = result;
    const whole = await this.refusalOfUnchanged(result, stillOpen(), call);
    const left = stillOpen();
    const [only] = left;
    if (whole || !only) return this.refuse(left, whole ?? refusal, call.clock);
    if (left.length === 1) return this.refuse(left, explained(refusal, result.policy, only), call.clock);
    // The API does not name the bad change.
    const middle = Math.ceil(left.length / 2);
    await this.settle(left.slice(0, middle));
    await this.settle(left.slice(middle));
  }

  /**
   * Takes the grants that a write left under other names out of the policy again, unless somebody else wrote since. Everybody
   * else's grants are sent as they were.
   *
   * @returns whether they are certainly out of the policy.
   */
  private async undo({ wanted, stored, others }: UnclearBatch, call: Call): Promise<boolean> {
    try {
      await this.writeOnce(stored, wanted, [...others.keys()], call);
    } catch {
      return false;
    }
    for (const each of others.keys()) each.isUncertain = false;
    return true;
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

  /**
   * Finds out whether the API refused a batch because of the policy that it was to change, and not because of a change: it writes
   * the policy back without a change, unless the API's decision on this policy is known. With the etag of the read, this write
   * changes nothing and overwrites nobody's change.
   *
   * @param refused the policy that the batch was to change, and the API's refusal.
   * @returns the refusal with a hint, if the API refuses the unchanged policy with the same message. Undefined if the API accepts
   *   it, if that is unknown, or if the message differs: then a change is bad too, and another one may repair the policy.
   */
  private async refusalOfUnchanged(
    { policy, refusal }: RefusedBatch,
    batch: readonly PendingChange[],
    call: Call,
  ): Promise<ApiError | undefined> {
    // A single change whose member is new is repeated every second or two: each time, this would be one more write.
    const isAsked = batch.length > 1 || (batch.length === 1 && !isUnknownIdentity(refusal));
    if (this.decision?.etag !== policy.etag && isAsked) await this.writeUnchanged(policy, batch, call);
    const { etag, refused } = this.decision ?? {};
    if (etag !== policy.etag || refused !== refusal.cloudMessage) return undefined;
    return refusal.withHint(isLimitOnRoles(refusal) ? REFUSED_CALLER : REFUSED_UNCHANGED);
  }

  /**
   * Records in `decision` whether the API accepts the policy without a change. If somebody else wrote first, or the write fails in
   * another way, this stays unknown: the cycle of the next changes deals with such failures, and may ask again.
   */
  private async writeUnchanged(policy: Policy, batch: readonly PendingChange[], call: Call): Promise<void> {
    try {
      await this.writeOnce(policy, policy, batch, call);
    } catch (error) {
      if (isRefusalOfContent(error)) this.decision = { etag: policy.etag, refused: error.cloudMessage };
    }
  }

  /** Writes a policy without a cycle: it fails if somebody else wrote since the read. */
  private async writeOnce(read: Policy, changed: Policy, batch: readonly PendingChange[], call: Call): Promise<void> {
    const slot = this.pacer.tryTake(call.clock) ?? (await this.pacer.take(call, this.doing, batch[0]?.call.reporter));
    slot.use();
    await this.write(read, changed, call);
  }
}

/** The refusal of one change, with its roles where the API may have refused one of them. */
function explained(refusal: ApiError, policy: Policy, { change }: PendingChange): ApiError {
  if (!isLimitOnRoles(refusal)) return refusal;
  const { gained, lost } = accessChange(policy, change.apply(policy));
  const roles = [...new Set([...gained, ...lost].map(({ role }) => role))].join(", ");
  return refusal.withHint(
    `This is a change of ${roles}: a condition on the role of the provider's own identity may allow it to grant other roles only ` +
      "(modifiedGrantsByRole)",
  );
}
