import { ApiError, errorInfoReason } from "../core/errors";
import { isRecord, listOf, textOf } from "../core/unknown";
import { isConflict } from "../http/retry";

/**
 * Whether the API refuses the content of a policy, and not the caller. Then at least one of the changes is bad, but the others
 * may succeed in writes of their own.
 */
export function isRefusalOfContent(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || isConflict(error)) return false;
  if (error.httpStatus === 413) return true;
  if (["INVALID_ARGUMENT", "FAILED_PRECONDITION", "OUT_OF_RANGE"].includes(error.status)) return true;
  return error.status === "PERMISSION_DENIED" && (isOrganizationPolicy(error) || isLimitOnRoles(error));
}

/**
 * Whether the caller may grant some roles only: a condition on its own role names them (`modifiedGrantsByRole`). The API refuses a
 * policy in which another role has changed with 403 and these words alone (hashicorp/terraform-provider-google, issue 10079;
 * https://cloud.google.com/iam/docs/setting-limits-on-granting-roles).
 */
export function isLimitOnRoles(error: ApiError): boolean {
  return error.status === "PERMISSION_DENIED" && /^\W*policy update access denied\b/i.test(error.cloudMessage);
}

/**
 * Whether an organization policy such as `constraints/iam.allowedPolicyMemberDomains` refuses single members. Services answer
 * then with 400 FAILED_PRECONDITION, `One or more users named in the policy do not belong to a permitted customer.`, and a
 * PreconditionFailure that names the constraint (terraform-google-modules/terraform-example-foundation, issue 1454); some
 * answer with 403. Any other 403 denies the whole request: a permission is missing, an API is not enabled, or a service
 * perimeter forbids it ("Request is prohibited by organization's policy").
 */
function isOrganizationPolicy(error: ApiError): boolean {
  const reason = errorInfoReason(error) ?? "";
  if (/^ORG_(RESTRICTION|POLICY)/.test(reason)) return true;
  if (reason !== "") return false;
  const constraints = error.details.flatMap((detail) => listOf(isRecord(detail) && detail.violations));
  if (constraints.some((each) => isRecord(each) && textOf(each.type).startsWith("constraints/"))) return true;
  return /permitted customer|permitted organi[sz]ation|organi[sz]ation policy|\bconstraints?\/\w/i.test(
    error.cloudMessage,
  );
}

/** `Service account {email} does not exist.`, `Identity Pool does not exist ({project}.svc.id.goog).` */
const IDENTITY = /\b(service ?account|user|group|domain|principal|member|identity|account)\b.*\bdoes not exist\b/is;
/** Roles are refused in similar words: `Role (…) does not exist in the resource's hierarchy.` */
const ROLE = /^\W*((the|custom) )*role\b|\broles\//i;

/**
 * Whether the refusal is temporary, because the identity is new and not all servers know it yet (docs/wire.md section 9). The
 * API has no status or reason for this case, so this function checks the words of the message.
 */
export function isUnknownIdentity(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status !== "INVALID_ARGUMENT") return false;
  return IDENTITY.test(error.cloudMessage) && !ROLE.test(error.cloudMessage);
}
