import { messageOf } from "../core/errors";
import { endOf, type Call } from "../http/call";
import { SharedWork } from "../http/shared-work";
import { accessChange, grantKey, grantsOf, type Grant, type Policy } from "./policy";
import { readPolicy, type PolicyTarget } from "./policy-api";

/**
 * A grant counts as visible after this number of successive reads with it, at this interval, as in Terraform's provider
 * (docs/wire.md section 9). The reads may reach different servers, and not all of them may have the grant yet.
 */
const READS_IN_A_ROW = 3;
const BETWEEN_READS_MS = 1_000;
/** Access changes typically take two minutes: https://cloud.google.com/iam/docs/access-change-propagation. */
const LONGEST_MS = 120_000;

/**
 * Waits until reads of one policy show the grants that this process added to it. Waits at the same time share their reads, and
 * each wait ends with its own call.
 */
export class Propagation {
  /** The keys of the grants that a write added or may have added, until a wait has seen them. */
  private readonly unseen = new Set<string>();
  /** The next read, which waits can join until it is sent. Its result has the keys of the grants in the policy. */
  private readonly next = new SharedWork<ReadonlySet<string>>();
  /** Resolves when the last read has ended. */
  private lastRead: Promise<unknown> = Promise.resolve();
  /** The time when the last read ended, in milliseconds. */
  private lastReadAt = -Infinity;

  constructor(private readonly target: PolicyTarget) {}

  /** Records what a write added, or may have added if its result is unknown. */
  written(before: Policy, after: Policy): void {
    for (const grant of accessChange(before, after).gained) this.unseen.add(grantKey(grant));
  }

  /**
   * Reads until every read shows those of the grants that a write of this process added. If that takes too long or a read fails,
   * it gives one warning, not an error: the write succeeded, and an error would make the engine forget the grants.
   */
  async wait(grants: readonly Grant[], call: Call): Promise<void> {
    /** In how many successive reads each grant was seen. */
    const seen = new Map<string, number>();
    for (const key of grants.map(grantKey)) if (this.unseen.has(key)) seen.set(key, 0);
    if (seen.size === 0) return;
    const { clock, reporter } = call;
    const until = Math.min(clock.now() + LONGEST_MS, call.deadline);
    const missing = () => [...seen.values()].filter((reads) => reads < READS_IN_A_ROW).length;
    try {
      for (;;) {
        const shown = await this.read(call);
        for (const [key, reads] of seen) seen.set(key, shown.has(key) ? reads + 1 : 0);
        if (missing() === 0) return;
        if (clock.now() + BETWEEN_READS_MS >= until) break;
        const what = seen.size === 1 ? "the grant" : `${seen.size} grants`;
        reporter.status(`Waiting for ${what} to be visible (${Math.min(...seen.values())} of ${READS_IN_A_ROW} reads)`);
      }
      reporter.warning(
        `${this.made(seen.size)}, but ${missingText(missing(), seen.size)} not yet visible to every read`,
      );
    } catch (error) {
      const text = missingText(missing(), seen.size);
      reporter.warning(`${this.made(seen.size)}, but it is unknown whether ${text} visible: ${messageOf(error)}`);
    } finally {
      for (const [key, reads] of seen) if (reads >= READS_IN_A_ROW) this.unseen.delete(key);
    }
  }

  /** "The 3 new grants on projects/… were made" */
  private made(count: number): string {
    const { resource } = this.target;
    return count === 1 ? `The grant on ${resource} was made` : `The ${count} new grants on ${resource} were made`;
  }

  /** Returns the keys of the grants that the next read shows. It is sent after this call, at the end of the interval. */
  private read(call: Call): Promise<ReadonlySet<string>> {
    const ended = () => endOf(call, `read the access policy of ${this.target.resource}`);
    return this.next.run("", call, ended, (shared, close) => {
      const shown = this.send(shared, close);
      this.lastRead = shown.catch(() => {});
      return shown;
    });
  }

  private async send(call: Call, close: () => void): Promise<ReadonlySet<string>> {
    const { clock } = call;
    await this.lastRead;
    await clock.sleep(Math.max(0, this.lastReadAt + BETWEEN_READS_MS - clock.now()), call.signal);
    close();
    const policy = await readPolicy(this.target, 3, call).finally(() => (this.lastReadAt = clock.now()));
    return new Set(grantsOf(policy).map(grantKey));
  }
}

/** "2 of them are" */
function missingText(missing: number, all: number): string {
  if (all === 1) return "it is";
  return `${missing} of them ${missing === 1 ? "is" : "are"}`;
}
