import { isRecord, listOf, textOf, type Values } from "../unknown";

/**
 * The `details` of an error: https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto. Every
 * field may be missing or have a wrong type.
 */

/** The details of a type of `google.rpc`, such as `RetryInfo` (docs/wire.md section 10). */
export function detailsOfType(details: readonly unknown[], type: string): Values[] {
  return details.filter(isRecord).filter((each) => textOf(each["@type"]).endsWith(`google.rpc.${type}`));
}

/** The `reason` of an ErrorInfo among the details: the only machine-readable cause. */
export function errorInfoReason({ details }: { details: readonly unknown[] }): string | undefined {
  const reasons = detailsOfType(details, "ErrorInfo").map(({ reason }) => reason);
  return reasons.find((reason) => typeof reason === "string");
}

/**
 * The lines that details of an error add to its message: each useful fact, once. Responses repeat facts: a description often
 * equals the message, and the same link appears in the message, in an ErrorInfo and in a Help.
 */
export function helpIn(details: readonly unknown[], message: string): string[] {
  const said = [message];
  for (const detail of details.filter(isRecord)) {
    const isSaid = (fact: string) => said.some((text) => text.includes(fact));
    said.push(...new Set(helpInDetail(detail, isSaid)));
  }
  return said.slice(1);
}

function helpInDetail(detail: Values, isSaid: (fact: string) => boolean): string[] {
  /** The line for a fact, without the part that an earlier line already has. */
  const line = (about: string, fact: string, label: string) => {
    if (fact !== "" && !isSaid(fact)) return [about === "" ? fact : `${about}: ${fact}`];
    return about === "" || isSaid(about) ? [] : [`${label}: ${about}`];
  };
  switch (textOf(detail["@type"]).split(".").at(-1)) {
    case "ErrorInfo":
      return helpInErrorInfo(textOf(detail.reason), isRecord(detail.metadata) ? detail.metadata : {}, isSaid);
    case "BadRequest":
      return recordsIn(detail.fieldViolations).flatMap(({ field, description }) =>
        line(textOf(field), textOf(description), "Field"),
      );
    case "QuotaFailure":
      return recordsIn(detail.violations).flatMap(({ subject, description }) =>
        line(textOf(subject), textOf(description), "Subject").map((each) => `Quota: ${each}`),
      );
    case "PreconditionFailure":
      return recordsIn(detail.violations).flatMap(({ type, subject, description }) =>
        line([type, subject].map(textOf).filter(Boolean).join(" "), textOf(description), "Precondition"),
      );
    case "Help":
      return recordsIn(detail.links).flatMap(({ description, url }) =>
        textOf(url) === "" || isSaid(textOf(url)) ? [] : line(textOf(description), textOf(url), "See"),
      );
    default:
      return [];
  }
}

function helpInErrorInfo(reason: string, metadata: Values, isSaid: (fact: string) => boolean): string[] {
  if (reason === "SERVICE_DISABLED") {
    const link = textOf(metadata.activationUrl);
    if (link !== "" && isSaid(link)) return [];
    const name = textOf(metadata.serviceTitle) || textOf(metadata.service) || "the API";
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
