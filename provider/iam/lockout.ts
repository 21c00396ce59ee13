import { RefusedError } from "../core/errors";
import { sameMember } from "./member";
import { grantsOf, type Grant, type Policy } from "./policy";

/** Roles of every service that can change a policy; each kind of resource adds its own. */
const ALWAYS = ["roles/owner", "roles/iam.securityAdmin"];

/** Who can change the policy of one kind of resource. */
export interface PolicyAdmins {
  /** Predefined roles with the permission to set the policy. Custom roles cannot be told from outside. */
  roles: readonly string[];
  /** The caller as a member, where the credentials say who that is. */
  caller?: string;
}

export function canChangePolicy(grant: Grant, admins: PolicyAdmins): boolean {
  return ALWAYS.includes(grant.role) || admins.roles.includes(grant.role);
}

/**
 * Why a change would lock out everybody, or the caller; undefined when somebody keeps, or nobody had, a role on the
 * resource that can change its policy. Access inherited from the project is not seen from here.
 */
export function lockOut(
  resource: string,
  before: Policy,
  after: Policy,
  admins: PolicyAdmins,
): RefusedError | undefined {
  const holders = (policy: Policy) => grantsOf(policy).filter((grant) => canChangePolicy(grant, admins));
  const [had, has] = [holders(before), holders(after)];
  const advice = "Set perimeter:allowLockout to true if that is meant";
  if (had.length > 0 && has.length === 0) {
    const roles = [...new Set(had.map((grant) => grant.role))].join(", ");
    return new RefusedError(
      `Refused to change the access policy of ${resource}: nobody would be left with a role on it that can change the ` +
        `policy again (${roles}, now held ${had.length === 1 ? "once" : `${had.length} times`}). ${advice}`,
    );
  }
  const { caller } = admins;
  const holdsIt = (grants: Grant[]) => caller !== undefined && grants.some((grant) => sameMember(grant.member, caller));
  if (holdsIt(had) && !holdsIt(has)) {
    return new RefusedError(
      `Refused to change the access policy of ${resource}: the provider's own identity would lose its role on it that can ` +
        `change the policy. ${advice}`,
    );
  }
  return undefined;
}

/** A service without support for policy version 3 answers conditions as part of the role's name. */
const HIDDEN_CONDITION = /_withcond_[0-9a-f]{20}$/;

/** Why a policy that was read must not be written back: its conditions would be lost. */
export function hiddenConditions(resource: string, read: Policy): RefusedError | undefined {
  const hidden = (read.bindings ?? []).filter((binding) => HIDDEN_CONDITION.test(binding.role ?? ""));
  if (hidden.length === 0) return undefined;
  return new RefusedError(
    `Refused to change the access policy of ${resource}: the API answered it without the conditions of ${hidden.length} ` +
      "binding(s), and writing it back would drop them for good",
  );
}
