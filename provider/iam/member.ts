import { didYouMean } from "../core/problem";

/**
 * The kinds of members that can be granted a role: users, service accounts, groups, domains, and the identities of
 * workforce and workload federation (https://cloud.google.com/iam/docs/principal-identifiers).
 */
const WITH_EMAIL = ["user", "serviceAccount", "group"];
const GRANTABLE = [...WITH_EMAIL, "domain"];
const FEDERATED = ["principal", "principalSet"];
const FORMS =
  "user:{emailid}, serviceAccount:{emailid}, group:{emailid}, domain:{domain}, principal://… or principalSet://…";
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const CLUSTER_SERVICE_ACCOUNT = /^[^\s@[\]]+\.svc\.id\.goog\[[^\s/[\]]+\/[^\s/[\]]+\]$/;
const DOMAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i;

/**
 * Characters that nobody sees in an address: copied from a page, they make another identity of it, which does not exist.
 */
const INVISIBLE = /(?! )[\p{Cf}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

const PUBLIC = ["allUsers", "allAuthenticatedUsers"];
/** Groups of a project's basic roles, in the policies of buckets and datasets. A project of a domain: `example.com:my-project`. */
const OF_PROJECT = /^project(Owner|Editor|Viewer):(?:[^\s:]+\.[^\s:]+:)?[^\s:]+$/;

/**
 * Says why a role cannot be granted to this text as a member, in words that follow the property's path. Returns undefined for
 * a valid member.
 *
 * @param isAny whether the public and a project's groups are members, too. Not on migration jobs, FHIR stores, triggers and
 *   gateways.
 */
export function memberProblem(member: string, isAny = false): string | undefined {
  const code = INVISIBLE.exec(member)?.[0].codePointAt(0);
  if (code !== undefined) {
    const name = code.toString(16).toUpperCase().padStart(4, "0");
    return `must not contain the invisible character U+${name}: type the member again`;
  }
  if (isAny && (PUBLIC.includes(member) || OF_PROJECT.test(member))) return undefined;
  if (PUBLIC.includes(member)) {
    return (
      `must be an identity: ${member} would open the resource to the public, and can only be read from policies, ` +
      `never granted; use one of ${FORMS}`
    );
  }
  if (member.startsWith("deleted:")) {
    return (
      "must be an identity that exists: deleted: principals can only be read from policies; grant the role to the " +
      "recovered or recreated identity, without deleted: and ?uid="
    );
  }
  if (/^principal(Set)?:\/\/[^\s/]+\/\S+$/.test(member)) return undefined;
  const colon = member.indexOf(":");
  const kind = member.slice(0, Math.max(colon, 0));
  if (FEDERATED.includes(kind)) {
    return (
      `must have a host and a path after ${kind}://, with %20 for a blank, such as ` +
      `${kind}://iam.googleapis.com/locations/global/workforcePools/{pool}/${kind === "principal" ? "subject/{subject}" : "group/{group}"}`
    );
  }
  const identity = member.slice(colon + 1);
  if (!GRANTABLE.includes(kind)) {
    return `must be one of ${FORMS}${kind ? didYouMean(kind, [...GRANTABLE, ...FEDERATED]) : ""}`;
  }
  if (kind === "domain") {
    return DOMAIN.test(identity) ? undefined : "must name a domain after domain:, such as domain:example.com";
  }
  if (EMAIL.test(identity)) return undefined;
  if (kind === "serviceAccount" && CLUSTER_SERVICE_ACCOUNT.test(identity)) return undefined;
  return `must have an email address after ${kind}:, such as ${kind}:name@example.com`;
}

const DELETED = "deleted:";

/** Members that are case-sensitive. All others are email addresses or domains. */
const CASE_SENSITIVE = /^(allUsers|allAuthenticatedUsers)$|^(deleted:)?(principal|principalSet|principalHierarchy):/;

/** Whether a member is case-sensitive. */
export function caseMatters(member: string): boolean {
  return CASE_SENSITIVE.test(member);
}

/**
 * Returns a spelling that is equal for two members of the same principal (docs/wire.md section 9). It is never written to a
 * policy.
 */
export function comparableMember(member: string): string {
  if (caseMatters(member)) return member;
  const deleted = member.startsWith(DELETED) ? DELETED : "";
  const rest = member.slice(deleted.length);
  const colon = rest.indexOf(":");
  return `${deleted}${rest.slice(0, colon + 1)}${rest.slice(colon + 1).toLowerCase()}`;
}

export function sameMember(left: string, right: string): boolean {
  return comparableMember(left) === comparableMember(right);
}

/**
 * Whether a member is the deleted form of another one. The server writes this form when the identity is deleted:
 * `deleted:user:{email}?uid={id}`, and likewise for service accounts and groups. Federated identities
 * (`deleted:principal://…`) get no id (docs/wire.md section 9).
 */
export function isDeletedFormOf(member: string, living: string): boolean {
  if (!member.startsWith(DELETED)) return false;
  return sameMember(member.slice(DELETED.length), living) || sameMember(livingFormOf(member), living);
}

/** The plain form of a member in the deleted form, as the policy has it again after the recovery; others are returned unchanged. */
export function livingFormOf(member: string): string {
  return member.startsWith(DELETED) ? member.slice(DELETED.length).replace(/\?uid=[^?]*$/, "") : member;
}

/** Shows only the kind of a secret member: `user:[secret]`. `allUsers` has no name to hide, so it is unchanged. */
export function kindOfMember(member: string): string {
  return member.replace(/^((?:deleted:)?\w+:).*/s, "$1[secret]");
}
