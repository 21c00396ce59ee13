import { keyOf, type CloudResource } from "../core/cloud-object";
import type { Call } from "../http/call";
import { firstLines, grantLine, kindOfMember } from "./grant-lines";
import { grantKey, grantsOf, type Grant, type Policy } from "./policy";

/** The policy of a resource that a refresh read. */
interface Seen {
  on: CloudResource;
  policy: Policy;
  /** The call of the last read, whose reporter gets the message. */
  call: Call;
}

/**
 * The grants that the program declares or the state has. At the end of a run with a refresh, it lists the unmanaged grants on
 * managed resources.
 *
 * The engine calls a provider for one grant at a time, and never lists the others. All grants have certainly been read only at
 * the end of the run. A pause between reads does not show the end, because with `--parallel 1` each read waits for the
 * previous one. An earlier list would contain grants of the stack, and show members that are marked as secret only by their
 * own read.
 */
export class StackGrants {
  private readonly seen = new Map<string, Seen>();
  private readonly own = new Set<string>();
  private hasSecretMembers = false;
  private isIncomplete = false;

  /** Records that the stack manages a grant: the program declares it, or the state has it. */
  add(on: CloudResource, grant: Grant): void {
    this.own.add(keyOf({ ...on, part: grantKey(grant) }));
  }

  has(on: CloudResource, grant: Grant): boolean {
    return this.own.has(keyOf({ ...on, part: grantKey(grant) }));
  }

  /**
   * Records the policy from the read of a grant.
   *
   * @param grant undefined when the policy no longer has it.
   */
  note(on: CloudResource, policy: Policy, grant: Grant | undefined, call: Call): void {
    this.seen.set(keyOf(on), { on, policy, call });
    if (grant) this.add(on, grant);
    if (call.secret?.some((input) => input === "member" || input === "members")) this.hasSecretMembers = true;
  }

  /**
   * Records that a grant could not be read. Then nothing is listed, because that grant may be managed, and the engine reads no
   * more grants after a failure.
   */
  missed(): void {
    this.isIncomplete = true;
  }

  /**
   * Lists the unmanaged grants unless a read failed, and clears the records. Call this at the end of a run that was not
   * interrupted.
   */
  report(): void {
    // Sorted by name, because answers arrive in any order.
    const byName = [...this.seen.values()].sort((left, right) => (left.on.name < right.on.name ? -1 : 1));
    if (!this.isIncomplete) for (const seen of byName) this.reportOn(seen);
    this.forget();
  }

  /** Clears the records. Call this when the run was interrupted, because not every grant was read. */
  forget(): void {
    this.seen.clear();
    this.own.clear();
    this.hasSecretMembers = false;
    this.isIncomplete = false;
  }

  private reportOn({ on, policy, call }: Seen): void {
    const unmanaged = grantsOf(policy).filter((grant) => !this.has(on, grant));
    if (unmanaged.length === 0) return;
    const lines = firstLines(unmanaged.map((grant) => this.line(grant)));
    call.reporter.warning(`On ${on.name}, this stack does not manage these grants:\n  ${lines.join("\n  ")}`);
  }

  /**
   * When the stack has secret members, all members are hidden, because the list may contain a secret member that was not read
   * (`--target`).
   */
  private line(grant: Grant): string {
    return grantLine(grant, this.hasSecretMembers ? kindOfMember(grant.member) : grant.member);
  }
}
