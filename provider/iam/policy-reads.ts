import { CancelledError, TimeoutError } from "../core/errors";
import type { Call } from "../http/call";
import type { Policy } from "./policy";
import { readPolicy, type PolicyTarget } from "./policy-api";

/** Long enough for the reads that the engine sends together, short enough to miss little of what others do. */
const SHARED_FOR_MS = 2_000;

interface Shared {
  policy: Promise<Policy>;
  /** When the answer came, in milliseconds since the epoch; undefined while it is awaited. */
  at?: number;
}

/** Policy reads that grants and lookups of one run share: a hundred grants on one resource cost one request. */
export class PolicyReads {
  private readonly byResource = new Map<string, Map<number, Shared>>();

  /** The policy as it is, or was a moment ago. A write of ours makes the next read a new one. */
  async read(target: PolicyTarget, version: number, call: Call): Promise<Policy> {
    const { clock } = target.client;
    const versions = this.byResource.get(target.resource) ?? new Map<number, Shared>();
    this.byResource.set(target.resource, versions);
    const known = versions.get(version);
    if (known && (known.at === undefined || clock.now() - known.at < SHARED_FOR_MS)) {
      try {
        return await known.policy;
      } catch (error) {
        // The other caller's end is its own; what the API answered it holds for us as well.
        if (!(error instanceof CancelledError || error instanceof TimeoutError)) throw error;
      }
    }
    const shared: Shared = { policy: readPolicy(target, version, call) };
    versions.set(version, shared);
    try {
      const policy = await shared.policy;
      shared.at = clock.now();
      return policy;
    } catch (error) {
      if (versions.get(version) === shared) versions.delete(version);
      throw error;
    }
  }

  /** Nothing read before this moment is answered any more. */
  drop(resource: string): void {
    this.byResource.delete(resource);
  }
}
