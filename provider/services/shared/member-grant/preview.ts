import { InputError, messageOf, NotFoundError } from "../../../core/errors";
import type { CloudObject } from "../../../core/reference";
import type { Call } from "../../../http/call";
import { limitRefusal, previewedPolicy } from "../../../iam/limits";
import { lockOutRefusal, lockOutWarning, type PolicyAdmins } from "../../../iam/lockout";
import { hiddenConditionRefusal } from "../../../iam/policy-cycle";
import { accessChange, hasGrant, removeGrants, sameGrant, type Policy } from "../../../iam/policy";
import {
  previewAccessChange,
  previewLossByReplacement,
  warnOfKeptMembers,
  warnOfMissingGrants,
} from "../../../iam/preview-access-change";
import type { LifecycleContext } from "../resource";
import { grantsIn, grantsToRemove, withRecovered, type GrantForm, type GrantSet } from "./forms";
import { isReadFailure, type GrantPolicies } from "./policies";
import { othersIn } from "./others";

/** The planned change of a policy. */
export interface PlannedChange {
  apply(policy: Policy): Policy;
  /**
   * The administrators that the change must keep; undefined when it removes no grant, or the configuration allows all changes.
   *
   * @throws CredentialsError if the provider's own identity cannot be learned.
   */
  admins(): Promise<PolicyAdmins | undefined>;
}

/** Finds out, with reads only, what a create, an update or a replacement would do. */
export class GrantPreview {
  constructor(
    private readonly form: GrantForm,
    private readonly policies: GrantPolicies,
    private readonly context: LifecycleContext,
  ) {}

  /**
   * Reports who gains and who loses access.
   *
   * @param before the members of the state.
   * @throws RefusedError when the change would throw it; NotFoundError when nothing in the program can create the resource.
   */
  async preview(set: GrantSet, change: PlannedChange, before: readonly string[], call: Call): Promise<void> {
    const { name } = set;
    const live = await this.read(name, call);
    if (!live) return;
    const roleProblem = await this.policies.roleProblem(set, live, call);
    if (roleProblem) throw new InputError(`The ${this.form.noun} on ${name}`, [{ path: "role", reason: roleProblem }]);
    const previewed = previewedPolicy(live);
    // A grant that only joins the policy is compared without a copy of the policy, because there may be thousands.
    const joins = !this.form.ownsRole && !this.policies.replaces;
    const planned = joins ? live : change.apply(live);
    const effect = joins
      ? { gained: grantsIn(set).filter((grant) => !previewed.has(grant)), lost: [] }
      : accessChange(live, planned);
    if (secretsOf(call).some((input) => input !== this.form.input)) {
      const { noun } = this.form;
      call.reporter.info(
        `Who gains and who loses access is not shown, because it would reveal a secret of this ${noun}`,
      );
    } else {
      previewAccessChange(
        name,
        effect,
        call.reporter,
        this.hiddenMembers([...set.members, ...before], call),
        this.form.ownsRole ? set.role : undefined,
      );
    }
    const declared = this.context.declaredGrants.on(this.policies.resourceOf(set));
    const own = { grants: grantsIn(set), ownsRole: this.form.ownsRole };
    // A preview without a check has no declared grants. In replace mode, this grant is the only one.
    const all = declared.length > 0 ? declared : [own];
    const refusal =
      this.policies.replaces && !this.form.ownsRole ? limitRefusal(name, live, planned) : previewed.refusal(name, all);
    if (refusal) throw refusal;
    const hidden = planned !== live || effect.gained.length > 0 ? hiddenConditionRefusal(name, live) : undefined;
    if (hidden) throw hidden;
    const admins = await change.admins();
    if (admins) checkLockOut(name, live, planned, admins, call);
  }

  /**
   * Reports who loses access by the set that a replacement deletes, and who keeps it because others granted it.
   *
   * @param create what the replacement makes first.
   * @throws RefusedError when the delete would throw it.
   */
  async previewDelete(
    set: GrantSet,
    create: { set: GrantSet; change: PlannedChange } | undefined,
    call: Call,
  ): Promise<void> {
    const { claims } = this.context;
    const { noun, ownsRole } = this.form;
    await this.policies.learnProject(set.name, call);
    const isClaimed = (object: CloudObject) => claims.others(object, call.identity).length > 0;
    if (ownsRole && isClaimed(this.policies.roleOf(set))) return;
    // The preview of the new set reports why a policy could not be read.
    const live = await this.policies.readRecent(set.name, call).catch(() => undefined);
    const gone = live
      ? grantsToRemove(withRecovered(set), set, live).filter((grant) => hasGrant(live, grant))
      : grantsIn(set);
    const isSameResource = create?.set.name === set.name;
    const made = isSameResource ? grantsIn(create.set) : [];
    const lost = gone.filter(
      (grant) =>
        !made.some((each) => sameGrant(each, grant)) &&
        !this.policies.grantsOf({ ...set, members: [grant.member] }).some(isClaimed),
    );
    const hidden = secretsOf(call).length > 0 ? { members: set.members, others: true } : undefined;
    previewLossByReplacement(set.name, noun, lost, call.reporter, hidden);
    if (!live) return;
    this.reportKept(set, live, call);
    const admins = await this.policies.admins(set);
    if (!admins) return;
    const before = isSameResource ? create.change.apply(live) : live;
    checkLockOut(set.name, before, removeGrants(before, lost), admins, call);
  }

  /** Reports the members of an owned role that stay after its delete, because others added them. */
  reportKept(set: GrantSet, live: Policy, call: Call): void {
    if (!this.form.ownsRole) return;
    const kept = othersIn(this.form.currentMembers(live, set), set.members);
    const hidden = this.hiddenMembers(set.members, call);
    warnOfKeptMembers(set.name, grantsIn({ ...set, members: kept }), call.reporter, hidden);
  }

  /** Reports the grants of a set that the policy does not have, if no write of this process took them out. */
  reportMissing(doing: string, set: GrantSet, live: Policy, call: Call): void {
    const hidden = this.hiddenMembers(set.members, call);
    // Such as a replacement in the mode `replace`: it took the old grant out before this delete.
    const missing = grantsIn(set).filter((grant) => !this.policies.of(set.name).hasRemoved(grant));
    warnOfMissingGrants(doing, set.name, missing, live, call.reporter, hidden);
  }

  /** @returns undefined when the policy could not be read, which is reported. */
  private async read(name: string, call: Call): Promise<Policy | undefined> {
    try {
      return await this.policies.readRecent(name, call);
    } catch (error) {
      if (!isReadFailure(error)) throw error;
      if (!(error instanceof NotFoundError)) {
        call.reporter.info(`It is unknown who gains and who loses access: ${messageOf(error)}`);
        return undefined;
      }
      const { input } = this.policies.targets;
      if (call.hasOtherResources?.() === false) throw error.withHint(nobodyCreatesIt(input));
      call.reporter.info(missingResource(name, input));
      return undefined;
    }
  }

  /** @param members those that may be secret. */
  private hiddenMembers(members: readonly string[], call: Call) {
    if (!secretsOf(call).includes(this.form.input)) return undefined;
    // A secret member may replace another secret member, which the policy still has.
    return { members, others: this.form.ownsRole || (call.stateIsUnknown ?? false) };
  }
}

/** Warns of a change that locks somebody out. @throws RefusedError when the change is refused for that. */
function checkLockOut(name: string, live: Policy, planned: Policy, admins: PolicyAdmins, call: Call): void {
  const refusal = lockOutRefusal(name, live, planned, admins);
  if (refusal) throw refusal;
  const warning = lockOutWarning(name, live, planned, admins);
  if (warning !== undefined) call.reporter.warning(warning);
}

function secretsOf({ secret = [] }: Call): readonly string[] {
  return secret;
}

function nobodyCreatesIt(input: string): string {
  return `No other resource of this program can create it: correct the input \`${input}\``;
}

/** For a front that does not see whether the program creates the resource (docs/grants.md, "A resource that does not exist"). */
function missingResource(name: string, input: string): string {
  return (
    `${name} does not exist (NOT_FOUND), so nobody has access to it. The update fails unless another resource of this program ` +
    `creates it first: if none does, correct the input \`${input}\``
  );
}
