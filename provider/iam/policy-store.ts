import { keyOf } from "../core/reference";
import { CancelledError, TimeoutError } from "../core/errors";
import { checkpoint, endOf, type Call } from "../http/call";
import type { Clock } from "../http/clock";
import { Pacer } from "./pacer";
import type { Grant, Policy } from "./policy";
import { doingToPolicy, readPolicy, withEtag, type PolicyTarget } from "./policy-api";
import { PendingChange, type PolicyChange } from "./pending-change";
import { doingTo, PolicyWriter } from "./policy-writer";
import { Propagation } from "./propagation";
import { SharedCall } from "./shared-call";

export type { PolicyChange } from "./pending-change";

/** The parts of this process that write one policy. */
interface PolicyOwner {
  writer: PolicyWriter;
  propagation: Propagation;
}

/**
 * The access policies that this process reads and changes. Each policy has one owner, which all resources and lookups use. The
 * base URL of the API and the name of the resource identify a policy, because two clouds may use the same names.
 */
export class PolicyStore {
  private readonly reads = new SharedReads();
  private readonly owners = new Map<string, PolicyOwner>();
  private readonly pacers = new Map<string, Pacer>();

  /** @param waitForPropagation whether `waitUntilVisible` waits. If not, the store does not keep what its writes added. */
  constructor(private readonly waitForPropagation = false) {}

  /**
   * Returns a policy that is at most two seconds old. Reads of one policy share the request, because the engine runs hundreds of
   * previews and refreshes at a time.
   *
   * @param version the newest format to answer with; below 3, the API hides conditions.
   * @throws ApiError and the transport's other errors; CancelledError and TimeoutError when the call itself ends.
   */
  read(target: PolicyTarget, version: number, call: Call): Promise<Policy> {
    return this.reads.read(keyOfPolicy(target), target, version, call);
  }

  /**
   * Returns the policy after the change. Changes of one policy that arrive together share one read and one write. Each change
   * ends with its own call, independently of the others.
   *
   * @throws RefusedError when the change would lock everybody out, exceed the limits or lose conditions; ApiError and the
   *   transport's other errors. A refused change fails alone; the others of the same write succeed. The error's `effect` is
   *   about this change: `unknown` when a write of it may have been made, else `none`.
   */
  change(target: PolicyTarget, change: PolicyChange, call: Call): Promise<Policy> {
    const pending = new PendingChange(change, call, doingTo(target));
    if (pending.isOpen) this.owner(target, call).writer.add(pending);
    return pending.outcome;
  }

  /**
   * Waits until reads show the grants, except for those that no change of this store added: others made them, or an earlier wait
   * saw them. It warns, and throws nothing, if they are not visible within two minutes or before the end of the call.
   */
  waitUntilVisible(target: PolicyTarget, grants: readonly Grant[], call: Call): Promise<void> {
    return this.owner(target, call).propagation.wait(grants, call);
  }

  private owner(target: PolicyTarget, call: Call): PolicyOwner {
    const key = keyOfPolicy(target);
    let owner = this.owners.get(key);
    if (!owner) {
      const propagation = new Propagation(target);
      const written = (before: Policy, after: Policy) => {
        this.reads.drop(key);
        if (this.waitForPropagation && before !== after) propagation.written(before, after);
      };
      owner = { propagation, writer: new PolicyWriter(target, this.pacer(target, call), written) };
      this.owners.set(key, owner);
    }
    return owner;
  }

  /** All resources of a service share one quota. */
  private pacer({ client, api = "", writesPerMinute }: PolicyTarget, { clock }: Call): Pacer {
    const key = client.baseUrl + api;
    const pacer = this.pacers.get(key) ?? new Pacer(writesPerMinute, clock, api);
    this.pacers.set(key, pacer);
    return pacer;
  }
}

function keyOfPolicy({ client, resource }: PolicyTarget): string {
  return keyOf({ url: client.baseUrl, name: resource });
}

/**
 * How long reads share an answer: long enough for the reads that the engine sends together, but short, because changes by
 * others stay unseen for this time.
 */
const SHARED_FOR_MS = 2_000;

/** A read that is in progress, or whose answer is shared. */
interface SharedRead {
  call: SharedCall;
  policy: Promise<Policy>;
  /** The time of the answer, in milliseconds since the epoch; undefined before it. */
  at?: number;
}

/** Shares the reads of a policy within a short time, so that a hundred previews of grants on one resource need one request. */
export class SharedReads {
  /** By the policy's key, then by the requested version. */
  private readonly reads = new Map<string, Map<number, SharedRead>>();

  /**
   * Returns the current policy, or a recent answer.
   *
   * @param key identifies the policy.
   */
  async read(key: string, target: PolicyTarget, version: number, call: Call): Promise<Policy> {
    const { clock } = call;
    const doing = readingOf(target);
    for (;;) {
      checkpoint(call, doing);
      const known = this.shareable(key, version, clock.now());
      const read = known ?? this.begin(key, target, version, clock);
      try {
        return await read.call.wait(call, read.policy, () => endOf(call, doing));
      } catch (error) {
        // All callers get an error of the API. When only another caller's time is over, this caller sends a new request.
        if (!known || !(error instanceof CancelledError || error instanceof TimeoutError)) throw error;
        checkpoint(call, doing);
      }
    }
  }

  /** Makes every later read send a new request. Reads in progress still answer the callers that already wait for them. */
  drop(key: string): void {
    this.reads.delete(key);
  }

  private shareable(key: string, version: number, now: number): SharedRead | undefined {
    const read = this.reads.get(key)?.get(version);
    if (!read) return undefined;
    return read.at === undefined ? read : now - read.at < SHARED_FOR_MS ? read : undefined;
  }

  private begin(key: string, target: PolicyTarget, version: number, clock: Clock): SharedRead {
    const call = new SharedCall(clock);
    const versions = this.reads.get(key) ?? new Map<number, SharedRead>();
    this.reads.set(key, versions);
    const forget = () => {
      if (versions.get(version) === read) versions.delete(version);
    };
    // The work begins in a later microtask. By then the caller has joined, so the request has a waiting call.
    const policy = Promise.resolve()
      .then(() => readPolicy(target, version, call))
      .then((answer) => withEtag(readingOf(target), answer, "none"));
    const read: SharedRead = { call, policy };
    versions.set(version, read);
    call.signal.addEventListener("abort", () => read.at === undefined && forget(), { once: true });
    policy.then(() => (read.at = clock.now()), forget);
    return read;
  }
}

function readingOf({ kind, resource }: PolicyTarget): string {
  return `${doingToPolicy.read(kind)} ${resource}`;
}
