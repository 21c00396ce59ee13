import type { Call } from "../http/call";
import { firstLines, grantLine, kindOfMember } from "./grant-lines";
import { grantKey, grantsOf, type Grant, type Policy } from "./policy";

/** What a refresh read of one resource. */
interface Seen {
  policy: Policy;
  /** Of the last read, for the message. */
  call: Call;
}

/**
 * Lists, at the end of a run with a refresh, the principals on managed resources that no grant of the stack explains.
 *
 * A provider is asked about one grant at a time and never told which others there are. Only the end of the run shows that
 * all have come: a pause does not, as with `--parallel 1` each read waits for the answer to the one before. What would be
 * listed earlier are the stack's own grants, secret members included, whose secrecy comes with their read.
 */
export class UnmanagedGrants {
  private readonly seen = new Map<string, Seen>();
  private readonly explained = new Map<string, Set<string>>();
  private hasSecretMembers = false;
  private isIncomplete = false;

  /** A grant that the program declares: it is the stack's own, whether it was read or not. */
  explain(resource: string, grant: Grant): void {
    const keys = this.explained.get(resource) ?? new Set<string>();
    keys.add(grantKey(grant));
    this.explained.set(resource, keys);
  }

  /**
   * Notes what the read of a grant saw.
   *
   * @param grant undefined where it is not there any more.
   */
  note(resource: string, policy: Policy, grant: Grant | undefined, call: Call): void {
    this.seen.set(resource, { policy, call });
    if (grant) this.explain(resource, grant);
    if (call.secret?.includes("member")) this.hasSecretMembers = true;
  }

  /** A grant that could not be read: what it would explain is not known, nor do engines read on after a failure. */
  missed(): void {
    this.isIncomplete = true;
  }

  /** Lists what was found, unless a read failed, and forgets it. To be called when the run has ended by itself. */
  report(): void {
    if (!this.isIncomplete) for (const [resource, seen] of this.seen) this.reportOn(resource, seen);
    this.forget();
  }

  /** Forgets what was noted: the run was interrupted, so not every grant has been read. */
  forget(): void {
    this.seen.clear();
    this.explained.clear();
    this.hasSecretMembers = false;
    this.isIncomplete = false;
  }

  private reportOn(resource: string, { policy, call }: Seen): void {
    const explained = this.explained.get(resource);
    const unmanaged = grantsOf(policy).filter((grant) => !explained?.has(grantKey(grant)));
    if (unmanaged.length === 0) return;
    const lines = firstLines(unmanaged.map((grant) => this.line(grant)));
    call.reporter.warning(`On ${resource}, no grant of this stack explains:\n  ${lines.join("\n  ")}`);
  }

  /** Where the stack keeps members secret, one that was not read (`--target`) may be among those that are listed. */
  private line(grant: Grant): string {
    return grantLine(grant, this.hasSecretMembers ? kindOfMember(grant.member) : grant.member);
  }
}
