import { keyOf } from "../core/cloud-object";
import { CancelledError, TimeoutError } from "../core/errors";
import { checkpoint, endOf, type Call } from "../http/call";
import { Pacer } from "./pacer";
import type { Policy } from "./policy";
import { doingToPolicy, readPolicy, withEtag, type PolicyTarget } from "./policy-api";
import { PendingChange, type PolicyChange } from "./pending-change";
import { doingTo, PolicyWriter } from "./policy-writer";
import { SharedCall } from "./shared-call";

export type { PolicyChange } from "./pending-change";

/** Which policy to read. */
export interface PolicyRead {
  /** The newest format to answer with; below 3, the API hides conditions. */
  version: number;
  /**
   * `now`: asks the API after the call was made. For all that a program gets to see.
   * `recent`: shares one answer with the other reads of the same two seconds. For previews and refreshes, of which the
   * engine runs hundreds at a time.
   */
  freshness: "now" | "recent";
}

/**
 * The access policies that this process reads and changes: one owner for each policy, whatever resource or lookup asks.
 * A policy is known by its API's base URL and its resource's name, since two clouds may use the same names.
 */
export class PolicyStore {
  private readonly reads = new SharedReads();
  private readonly writers = new Map<string, PolicyWriter>();
  private readonly pacers = new Map<string, Pacer>();

  /** @throws ApiError and the transport's other errors; CancelledError and TimeoutError at the call's own end. */
  read(target: PolicyTarget, { version, freshness }: PolicyRead, call: Call): Promise<Policy> {
    if (freshness === "now") return readPolicy(target, version, call);
    return this.reads.read(keyOfPolicy(target), target, version, call);
  }

  /**
   * The policy after the change. Changes of one policy that come together become one read and one write; each of them
   * ends when its own call does, whatever becomes of the others.
   *
   * @throws RefusedError when the change would lock everybody out, exceed the limits or lose conditions; ApiError and
   *   the transport's other errors. A change that is refused fails alone, whatever it was written together with. The
   *   error's `effect` tells of this change: `unknown` when a write of it may have been made, else `none`.
   */
  change(target: PolicyTarget, change: PolicyChange, call: Call): Promise<Policy> {
    const pending = new PendingChange(change, call, doingTo(target));
    if (pending.isOpen) this.writer(target).add(pending);
    return pending.outcome;
  }

  private writer(target: PolicyTarget): PolicyWriter {
    const key = keyOfPolicy(target);
    let writer = this.writers.get(key);
    if (!writer) {
      writer = new PolicyWriter(target, this.pacer(target), () => this.reads.drop(key));
      this.writers.set(key, writer);
    }
    return writer;
  }

  /** The quota is one for all resources of a service. */
  private pacer({ client, api = "", writesPerMinute }: PolicyTarget): Pacer {
    const key = client.baseUrl + api;
    const pacer = this.pacers.get(key) ?? new Pacer(writesPerMinute, client.clock, api);
    this.pacers.set(key, pacer);
    return pacer;
  }
}

function keyOfPolicy({ client, resource }: PolicyTarget): string {
  return keyOf({ url: client.baseUrl, name: resource });
}

/** Long enough for the reads that the engine sends together, and short, since changes by others are not seen meanwhile. */
const SHARED_FOR_MS = 2_000;

/** A read that is under way, or whose answer is shared. */
interface SharedRead {
  call: SharedCall;
  policy: Promise<Policy>;
  /** When the answer came, in milliseconds since the epoch; undefined before that. */
  at?: number;
}

/** Shares reads of a policy that come within a moment: a hundred previews of grants on one resource cost one request. */
export class SharedReads {
  /** By the policy's key, then by the version that was asked for. */
  private readonly reads = new Map<string, Map<number, SharedRead>>();

  /**
   * The policy as it is, or was a moment ago.
   *
   * @param key tells the policy from every other.
   */
  async read(key: string, target: PolicyTarget, version: number, call: Call): Promise<Policy> {
    const { clock } = target.client;
    const doing = readingOf(target);
    for (;;) {
      checkpoint(call, doing);
      const known = this.shareable(key, version, clock.now());
      const read = known ?? this.begin(key, target, version);
      try {
        return await read.call.wait(call, read.policy, () => endOf(call, doing));
      } catch (error) {
        // All callers get an error of the API. When only another caller's time is over, this caller sends a new request.
        if (!known || !(error instanceof CancelledError || error instanceof TimeoutError)) throw error;
        checkpoint(call, doing);
      }
    }
  }

  /** Lets every later read ask the API. Reads that are under way still answer those who wait for them now. */
  drop(key: string): void {
    this.reads.delete(key);
  }

  private shareable(key: string, version: number, now: number): SharedRead | undefined {
    const read = this.reads.get(key)?.get(version);
    if (!read) return undefined;
    return read.at === undefined ? read : now - read.at < SHARED_FOR_MS ? read : undefined;
  }

  private begin(key: string, target: PolicyTarget, version: number): SharedRead {
    const { clock } = target.client;
    const call = new SharedCall();
    const versions = this.reads.get(key) ?? new Map<number, SharedRead>();
    this.reads.set(key, versions);
    const forget = () => {
      if (versions.get(version) === read) versions.delete(version);
    };
    // Begins a step later: the caller has joined by then, and the request sees that somebody waits for it.
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
