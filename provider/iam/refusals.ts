import { ApiError, errorInfoReason } from "../core/errors";
import { isRecord, textOf } from "../core/unknown";
import { isConflict } from "../http/retryable";

/** Why the cloud refuses to write a policy, as far as that decides what becomes of the changes in it. */

/** An answer that says no to what the policy holds, not to who asks for it: one of its changes is bad, or several are. */
export function isRefusalOfContent(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || isConflict(error)) return false;
  if (error.httpStatus === 413) return true;
  if (["INVALID_ARGUMENT", "FAILED_PRECONDITION", "OUT_OF_RANGE"].includes(error.status)) return true;
  return error.status === "PERMISSION_DENIED" && isOrganizationPolicy(error);
}

/**
 * Organization policies such as `constraints/iam.allowedPolicyMemberDomains` refuse single members. Seen as 400
 * FAILED_PRECONDITION: `One or more users named in the policy do not belong to a permitted customer.`, with a
 * PreconditionFailure that names the constraint (hashicorp/terraform-provider-google, terraform-example-foundation issue
 * 1454); some services answer the same with 403. Any other 403 denies the whole request: a permission that is missing,
 * an API that is not enabled, a service perimeter ("Request is prohibited by organization's policy").
 */
function isOrganizationPolicy(error: ApiError): boolean {
  const reason = errorInfoReason(error) ?? "";
  if (/^ORG_(RESTRICTION|POLICY)/.test(reason)) return true;
  if (reason !== "") return false;
  const constraints = error.details.flatMap((detail) =>
    isRecord(detail) && Array.isArray(detail.violations) ? (detail.violations as unknown[]) : [],
  );
  if (constraints.some((each) => isRecord(each) && textOf(each.type).startsWith("constraints/"))) return true;
  return /permitted customer|permitted organi[sz]ation|organi[sz]ation policy|\bconstraints?\/\w/i.test(
    error.cloudMessage,
  );
}

const IDENTITY = /\b(service ?account|user|group|domain|principal|member|identity|account)\b.*\bdoes not exist\b/is;
/** Roles are refused in similar words: `Role (…) does not exist in the resource's hierarchy.` */
const ROLE = /^\W*((the|custom) )*role\b|\broles\//i;

/**
 * The one refusal that time may heal: an identity that was created a moment ago and is not known everywhere yet
 * (`Service account {email} does not exist.`, `Identity Pool does not exist ({project}.svc.id.goog).`). The API gives it
 * no reason of its own, so its words must do.
 */
export function isUnknownIdentity(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status !== "INVALID_ARGUMENT") return false;
  return IDENTITY.test(error.cloudMessage) && !ROLE.test(error.cloudMessage);
}
