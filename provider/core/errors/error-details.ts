import { isRecord, listOf, textOf, type Values } from "../unknown";

/**
 * The `details` of an error: https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto. Nothing
 * in them is sure to be there, or to be of its type.
 */

/** Those of the details that are of a type of `google.rpc`, such as `RetryInfo` (docs/wire.md section 10). */
export function detailsOfType(details: readonly unknown[], type: string): Values[] {
  return details.filter(isRecord).filter((each) => textOf(each["@type"]).endsWith(`google.rpc.${type}`));
}

/** The `reason` of an ErrorInfo among the details: the only machine-readable word on what went wrong. */
export function errorInfoReason({ details }: { details: readonly unknown[] }): string | undefined {
  const reasons = detailsOfType(details, "ErrorInfo").map(({ reason }) => reason);
  return reasons.find((reason) => typeof reason === "string");
}

/** Says what in a detail of an error helps somebody act: a line for each fact, none for a detail that helps nobody. */
export function helpIn(detail: unknown): string[] {
  if (!isRecord(detail)) return [];
  switch (textOf(detail["@type"]).split(".").at(-1)) {
    case "ErrorInfo":
      return helpInErrorInfo(textOf(detail.reason), isRecord(detail.metadata) ? detail.metadata : {});
    case "BadRequest":
      return recordsIn(detail.fieldViolations).map(({ field, description }) => {
        const name = textOf(field);
        return `${name ? `${name}: ` : ""}${textOf(description)}`;
      });
    case "QuotaFailure":
      return recordsIn(detail.violations).map(
        ({ subject, description }) => `Quota: ${textOf(subject)}: ${textOf(description)}`,
      );
    case "PreconditionFailure":
      return recordsIn(detail.violations).map(
        ({ type, subject, description }) => `${textOf(type)} ${textOf(subject)}: ${textOf(description)}`,
      );
    case "Help":
      return recordsIn(detail.links).map(({ description, url }) => `${textOf(description)}: ${textOf(url)}`);
    default:
      return [];
  }
}

function helpInErrorInfo(reason: string, metadata: Values): string[] {
  if (reason === "SERVICE_DISABLED") {
    const name = textOf(metadata.serviceTitle) || textOf(metadata.service) || "the API";
    const link = textOf(metadata.activationUrl);
    return [`Enable ${name} for ${textOf(metadata.consumer) || "the project"}${link ? `: ${link}` : ""}`];
  }
  if (reason === "IAM_PERMISSION_DENIED" && textOf(metadata.permission)) {
    return [`Missing permission: ${textOf(metadata.permission)}`];
  }
  if (reason === "USER_PROJECT_DENIED") {
    const project = textOf(metadata.consumer);
    return [`The quota project ${project} was refused: the caller needs serviceusage.services.use on it`];
  }
  if (reason === "RATE_LIMIT_EXCEEDED") {
    const limit = textOf(metadata.quota_limit_value);
    return [`Quota: ${textOf(metadata.quota_metric)} (${textOf(metadata.quota_limit)}${limit ? `, ${limit}` : ""})`];
  }
  return reason ? [`Reason: ${reason}`] : [];
}

function recordsIn(value: unknown): Values[] {
  return listOf(value).filter(isRecord);
}
