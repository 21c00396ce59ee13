import { isDeepStrictEqual } from "node:util";
import { keyOf, projectOf, sameProject, withProject, type CloudResource } from "../core/reference";
import { keptIn } from "../core/once";
import type { Call } from "../http/call";
import { kindOfMember } from "./member";
import { firstLines, grantLine } from "./preview-access-change";
import { grantKey, grantsOf, type Grant, type Policy } from "./policy";

/** The policy of a resource that a refresh read. */
interface Seen {
  on: CloudResource;
  policy: Policy;
  /** The call of the last read, whose reporter gets the message. */
  call: Call;
}

/** What one resource of the program declares on a policy: all its grants have the same role and condition. */
export interface DeclaredGrants {
  readonly grants: readonly Grant[];
  /** Whether no other members have the role under the condition. */
  readonly ownsRole: boolean;
}

/**
 * The grants that the program declares or the state has. Previews add those that the program declares to the policy that they
 * read. At the end of a run with a refresh, it lists the unmanaged grants on managed resources.
 *
 * The engine calls a provider for one grant at a time, and never lists the others. All grants have certainly been read only at
 * the end of the run. A pause between reads does not show the end, because with `--parallel 1` each read waits for the
 * previous one. An earlier list would contain grants of the stack, and show members that are marked as secret only by their
 * own read.
 */
export class StackGrants {
  private readonly seen = new Map<string, Seen>();
  /** The spellings of the project, by the grant without it. */
  private readonly own = new Map<string, Set<string>>();
  /** What the program declares, by the policy. */
  private readonly declared = new Map<string, DeclaredGrants[]>();
  /** The policy and the declaration of each resource, by its identity. */
  private readonly byIdentity = new Map<string, { policy: string; declared: DeclaredGrants }>();
  private hasSecretMembers = false;
  private isIncomplete = false;

  /** Records that the stack manages grants: the program declares them, or the state has them. */
  add(on: CloudResource, grants: readonly Grant[]): void {
    const project = projectOf(on.name);
    for (const grant of grants) {
      keptIn(this.own, keyOfGrant(on, grant), () => new Set<string>()).add(project);
    }
  }

  /** Whether the stack manages a grant. A project's id and number count as one project, because they may be. */
  has(on: CloudResource, grant: Grant): boolean {
    const project = projectOf(on.name);
    return [...(this.own.get(keyOfGrant(on, grant)) ?? [])].some((each) => sameProject(each, project));
  }

  /** Records what a resource of the program declares, in place of what it declared before. */
  declare(on: CloudResource, declared: DeclaredGrants, identity: string | undefined): void {
    this.add(on, declared.grants);
    const policy = keyOf(on);
    const before = identity === undefined ? undefined : this.byIdentity.get(identity);
    if (before?.policy === policy && isDeepStrictEqual(before.declared, declared)) return;
    if (before) {
      const others = this.declared.get(before.policy)?.filter((each) => each !== before.declared) ?? [];
      this.declared.set(before.policy, others);
    }
    if (identity !== undefined) this.byIdentity.set(identity, { policy, declared });
    keptIn(this.declared, policy, (): DeclaredGrants[] => []).push(declared);
  }

  /** Whether a resource of this process declares grants. */
  isDeclarer(identity: string): boolean {
    return this.byIdentity.has(identity);
  }

  /**
   * What the program declares on a policy, in the order of the checks. As long as no resource changes its declaration, every call
   * returns the same list, which only grows: a caller can continue where it stopped.
   */
  declaredOn(on: CloudResource): readonly DeclaredGrants[] {
    return this.declared.get(keyOf(on)) ?? [];
  }

  /**
   * Records the policy from the read of grants.
   *
   * @param grants those that the policy still has.
   */
  note(on: CloudResource, policy: Policy, grants: readonly Grant[], call: Call): void {
    this.seen.set(keyOf(on), { on, policy, call });
    this.add(on, grants);
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
    this.declared.clear();
    this.byIdentity.clear();
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

/** The key of a grant in a policy, without the project of the resource. */
function keyOfGrant({ url, name }: CloudResource, grant: Grant): string {
  return JSON.stringify([url, withProject(name, ""), grantKey(grant)]);
}
