import { DEFAULT_CONFIG, type Service } from "./config";
import { ApiError } from "../http/errors";
import { policyMessage, type Policy } from "../iam/messages";
import { checkPolicy, newEtag, asStored } from "../iam/policy";
import { decode } from "../messages/decode";
import { clone, textOf, type JsonObject } from "../messages/json";
import { missingRequired } from "../messages/required-fields";
import { storedShape, type ResourceKind } from "../services/kind";

/** Checks of what a seed or a mutation wants a resource to hold. Findings are added to `problems`, after their place. */

/** The body in the form that is stored, without the server's defaults. */
export function checkedBody(
  kind: ResourceKind,
  name: string,
  body: JsonObject,
  at: string,
  problems: string[],
): JsonObject {
  const { value, violations } = decode(storedShape(kind), clone(body), { keepOutputOnly: true });
  problems.push(...violations.map(({ description }) => `${at}: ${withoutPrefix(description)}`));
  if (value.name !== undefined && value.name !== name) {
    problems.push(`${at}.name: '${textOf(value.name)}' differs from the name of the resource, '${name}'`);
  }
  return value;
}

/** Are the required fields there, of a kind that insists on them? */
export function checkComplete(kind: ResourceKind, body: JsonObject, at: string, problems: string[]): void {
  if (kind.completeSeeds) {
    problems.push(...missingRequired(storedShape(kind), body).map((field) => `${at}.${field}: required`));
  }
}

/** The policy in the form that is stored. */
export function checkedPolicy(input: JsonObject, service: Service, at: string, problems: string[]): JsonObject {
  const { value, violations } = decode(policyMessage, clone(input));
  problems.push(...violations.map(({ description }) => `${at}: ${withoutPrefix(description)}`));
  const policy = value as Policy;
  try {
    checkPolicy(policy, service, DEFAULT_CONFIG);
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw error;
    }
    problems.push(`${at}: ${error.message}`);
  }
  return { ...(asStored(policy, DEFAULT_CONFIG) as JsonObject), etag: policy.etag ?? newEtag() };
}

function withoutPrefix(description: string): string {
  return description.replace("Invalid JSON payload received. ", "");
}
