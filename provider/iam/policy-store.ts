import type { Call } from "../http/call";
import { Pacer } from "./pacer";
import type { Policy } from "./policy";
import { readPolicy, type PolicyTarget } from "./policy-api";
import { PendingChange, type PolicyChange } from "./pending-change";
import { doingTo, PolicyWriter } from "./policy-writer";
import { SharedReads } from "./shared-reads";

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
    return this.reads.read(keyOf(target), target, version, call);
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
    const pending = new PendingChange(change, call, target.client.clock, doingTo(target));
    if (pending.isOpen) this.writer(target).add(pending);
    return pending.outcome;
  }

  private writer(target: PolicyTarget): PolicyWriter {
    const key = keyOf(target);
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
    const pacer = this.pacers.get(key) ?? new Pacer(writesPerMinute, client.clock);
    this.pacers.set(key, pacer);
    return pacer;
  }
}

function keyOf({ client, resource }: PolicyTarget): string {
  return client.baseUrl + resource;
}
