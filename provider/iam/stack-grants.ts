import { keyOf, type CloudResource } from "../core/cloud-object";
import type { Call } from "../http/call";
import { firstLines, grantLine, kindOfMember } from "./grant-lines";
import { grantKey, grantsOf, type Grant, type Policy } from "./policy";

/** The policy of one resource, as a refresh read it. */
interface Seen {
  on: CloudResource;
  policy: Policy;
  /** The call of the last read, whose reporter gets the message. */
  call: Call;
}

/**
 * The grants that the program declares or the state has. At the end of a run with a refresh, lists the grants on
 * managed resources that are not the stack's.
 *
 * The engine asks a provider about one grant at a time, and never says which others there are. Only at the end of the run
 * is it certain that all were read; a pause between reads proves nothing, since with `--parallel 1` each read waits for the
 * one before. A list made earlier would contain grants of the stack, and show members that only their own read marks as
 * secret.
 */
export class StackGrants {
  private readonly seen = new Map<string, Seen>();
  private readonly own = new Set<string>();
  private hasSecretMembers = false;
  private isIncomplete = false;

  /** Notes that a grant is the stack's own: the program declares it, or the state has it. */
  add(on: CloudResource, grant: Grant): void {
    this.own.add(keyOf({ ...on, part: grantKey(grant) }));
  }

  has(on: CloudResource, grant: Grant): boolean {
    return this.own.has(keyOf({ ...on, part: grantKey(grant) }));
  }

  /**
   * Notes the policy that the read of a grant saw.
   *
   * @param grant undefined where the policy no longer has it.
   */
  note(on: CloudResource, policy: Policy, grant: Grant | undefined, call: Call): void {
    this.seen.set(keyOf(on), { on, policy, call });
    if (grant) this.add(on, grant);
    if (call.secret?.includes("member")) this.hasSecretMembers = true;
  }

  /**
   * Notes that a grant could not be read. Then nothing is listed: that grant may be the stack's own, and the engine reads no
   * more grants after a failure.
   */
  missed(): void {
    this.isIncomplete = true;
  }

  /** Lists what was found, unless a read failed, and forgets it. To be called at the end of a run that went to its end. */
  report(): void {
    // By name: answers come in any order.
    const byName = [...this.seen.values()].sort((left, right) => (left.on.name < right.on.name ? -1 : 1));
    if (!this.isIncomplete) for (const seen of byName) this.reportOn(seen);
    this.forget();
  }

  /** Forgets what was noted. To be called when the run was interrupted: not every grant was read. */
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
    call.reporter.warning(`On ${on.name}, no grant of this stack explains:\n  ${lines.join("\n  ")}`);
  }

  /** Where the stack has secret members, all are hidden: one that was not read (`--target`) may be in the list. */
  private line(grant: Grant): string {
    return grantLine(grant, this.hasSecretMembers ? kindOfMember(grant.member) : grant.member);
  }
}
