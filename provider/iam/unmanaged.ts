import type { Call } from "../http/call";
import type { Clock } from "../http/clock";
import { grantKey, grantsOf, type Grant, type Policy } from "./policy";

/** How long no further read may come before the reads of a refresh count as complete. */
const QUIET_MS = 300;
const MOST_LINES = 20;

interface Seen {
  policy: Policy;
  explained: Set<string>;
  call: Call;
}

/**
 * Lists, on refresh, the principals on managed resources that no grant of the stack explains.
 *
 * A provider sees one grant at a time, so it knows all of them only when no more come. The newest read is held back for
 * a moment, and each new one lets the one before it go: only one of the engine's slots waits, and the last read of the
 * refresh is the one that reports.
 */
export class UnmanagedGrants {
  private readonly seen = new Map<string, Seen>();
  private releaseHeld: (() => void) | undefined;
  private underWay = 0;

  constructor(private readonly clock: Clock) {}

  /** A read of a grant that is under way: however long it takes, it belongs to the same refresh. */
  async watch<T>(read: Promise<T>): Promise<T> {
    this.underWay += 1;
    try {
      return await read;
    } finally {
      this.underWay -= 1;
    }
  }

  /** Notes what a read of a grant saw; resolves when the read may be answered. */
  async note(resource: string, policy: Policy, grant: Grant | undefined, call: Call): Promise<void> {
    const seen = this.seen.get(resource) ?? { policy, explained: new Set<string>(), call };
    this.seen.set(resource, { ...seen, policy, call });
    if (grant) seen.explained.add(grantKey(grant));
    this.releaseHeld?.();
    const overtaken = new AbortController();
    this.releaseHeld = () => overtaken.abort(new Error("another read came"));
    try {
      do await this.clock.sleep(QUIET_MS, overtaken.signal);
      while (this.underWay > 0);
    } catch {
      return;
    }
    this.report();
  }

  private report(): void {
    for (const [resource, { policy, explained, call }] of this.seen) {
      const unmanaged = grantsOf(policy).filter((grant) => !explained.has(grantKey(grant)));
      if (unmanaged.length === 0) continue;
      const lines = unmanaged.slice(0, MOST_LINES).map((grant) => {
        return `  ${grant.member} ${grant.role}${grant.condition ? ` if ${grant.condition.title}` : ""}`;
      });
      if (unmanaged.length > MOST_LINES) lines.push(`  … and ${unmanaged.length - MOST_LINES} more`);
      call.reporter.warning(`On ${resource}, no grant of this stack explains:\n${lines.join("\n")}`);
    }
    this.seen.clear();
  }
}
