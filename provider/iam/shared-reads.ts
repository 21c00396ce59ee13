import { CancelledError, TimeoutError } from "../core/errors";
import { checkpoint, endOf, type Call } from "../http/call";
import type { Policy } from "./policy";
import { doingToPolicy, readPolicy, withEtag, type PolicyTarget } from "./policy-api";
import { SharedCall } from "./shared-call";

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
    const doing = doingTo(target);
    for (;;) {
      checkpoint(call, clock, doing);
      const known = this.shareable(key, version, clock.now());
      const read = known ?? this.begin(key, target, version);
      try {
        return await read.call.wait(call, read.policy, () => endOf(call, doing));
      } catch (error) {
        // An error of the API holds for all callers. That the time of another caller is over does not: this one asks anew.
        if (!known || !(error instanceof CancelledError || error instanceof TimeoutError)) throw error;
        checkpoint(call, clock, doing);
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
    const call = new SharedCall(clock);
    const versions = this.reads.get(key) ?? new Map<number, SharedRead>();
    this.reads.set(key, versions);
    const forget = () => {
      if (versions.get(version) === read) versions.delete(version);
    };
    // Begins a step later: the caller has joined by then, and the request sees that somebody waits for it.
    const policy = Promise.resolve()
      .then(() => readPolicy(target, version, call))
      .then((answer) => withEtag(doingTo(target), answer, "none"));
    const read: SharedRead = { call, policy };
    versions.set(version, read);
    call.signal.addEventListener("abort", () => read.at === undefined && forget(), { once: true });
    policy.then(() => (read.at = clock.now()), forget);
    return read;
  }
}

function doingTo({ kind, resource }: PolicyTarget): string {
  return `${doingToPolicy.read(kind)} ${resource}`;
}
