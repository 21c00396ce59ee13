import { messageOf } from "../core/errors";
import { endOf, type Call } from "../http/call";
import { SharedWork } from "../http/shared-work";
import { accessChange, grantKey, grantsOf, type Grant, type Policy } from "./policy";
import { readPolicy, type PolicyTarget } from "./policy-api";

/**
 * A grant counts as visible after this number of successive reads with it, at this interval, as in Terraform's provider (wire
 * reference section 9). The reads may reach different servers, and not all of them may have the grant yet.
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
    const keys = [...new Set(grants.map(grantKey))].filter((key) => this.unseen.has(key));
    if (keys.length === 0) return;
    const reads = new ReadsInARow(keys);
    try {
      if (await this.isVisibleInTime(reads, call)) return;
      call.reporter.warning(`${reads.made(this.target)}, but ${reads.missing()} not yet visible to every read`);
    } catch (error) {
      call.reporter.warning(
        `${reads.made(this.target)}, but it is unknown whether ${reads.missing()} visible: ${messageOf(error)}`,
      );
    } finally {
      for (const key of reads.visible()) this.unseen.delete(key);
    }
  }

  private async isVisibleInTime(reads: ReadsInARow, call: Call): Promise<boolean> {
    const { clock } = call;
    const until = Math.min(clock.now() + LONGEST_MS, call.deadline);
    for (;;) {
      reads.count(await this.read(call));
      if (reads.least >= READS_IN_A_ROW) return true;
      if (clock.now() + BETWEEN_READS_MS >= until) return false;
      call.reporter.status(reads.status());
    }
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

/** In how many successive reads a wait has seen each of its grants. */
class ReadsInARow {
  private readonly seen: Map<string, number>;

  /** @param keys of the grants, at least one. */
  constructor(keys: readonly string[]) {
    this.seen = new Map(keys.map((key) => [key, 0]));
  }

  count(shown: ReadonlySet<string>): void {
    for (const [key, reads] of this.seen) this.seen.set(key, shown.has(key) ? reads + 1 : 0);
  }

  /** The number of successive reads that showed all grants. */
  get least(): number {
    return Math.min(...this.seen.values());
  }

  visible(): string[] {
    return [...this.seen].flatMap(([key, reads]) => (reads >= READS_IN_A_ROW ? [key] : []));
  }

  status(): string {
    const grants = this.seen.size === 1 ? "the grant" : `${this.seen.size} grants`;
    return `Waiting for ${grants} to be visible (${this.least} of ${READS_IN_A_ROW} reads)`;
  }

  /** "The 3 new grants on projects/… were made" */
  made({ resource }: PolicyTarget): string {
    return this.seen.size === 1
      ? `The grant on ${resource} was made`
      : `The ${this.seen.size} new grants on ${resource} were made`;
  }

  /** "2 of them are" */
  missing(): string {
    if (this.seen.size === 1) return "it is";
    const count = this.seen.size - this.visible().length;
    return `${count} of them ${count === 1 ? "is" : "are"}`;
  }
}
