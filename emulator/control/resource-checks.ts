import { DEFAULT_CONFIG, type Config } from "../base/config";
import { ApiError } from "../base/errors";
import { newerFields, policyMessage, type Policy } from "../iam/messages";
import { checkPolicy, newEtag, asStored } from "../iam/policy";
import { decode } from "../messages/decode";
import { clone, textOf, type JsonObject } from "../base/json";
import { missingRequired } from "../messages/required-fields";
import { storedShape, type ResourceType } from "../services/resource-type";

/** Checks of the contents of a resource in a seed or a mutation. They add findings, with their paths, to `problems`. */

/** Returns the body as it is stored, without the defaults of the server. */
export function checkedBody(
  type: ResourceType,
  name: string,
  body: JsonObject,
  at: string,
  problems: string[],
): JsonObject {
  const { value, violations } = decode(storedShape(type), clone(body), { keepOutputOnly: true });
  for (const { description } of violations) problems.push(`${at}: ${withoutPrefix(description)}`);
  if (value.name !== undefined && value.name !== name) {
    problems.push(`${at}.name: '${textOf(value.name)}' differs from the name of the resource, '${name}'`);
  }
  return value;
}

/** Checks that the required fields are set, for the resource types that enforce them. */
export function checkComplete(type: ResourceType, body: JsonObject, at: string, problems: string[]): void {
  if (type.completeSeeds) {
    problems.push(...missingRequired(storedShape(type), body).map((field) => `${at}.${field}: required`));
  }
}

/** Returns the policy as it is stored. */
export function checkedPolicy(
  input: JsonObject,
  { anyRole, newerPolicyFields }: Config,
  at: string,
  problems: string[],
): JsonObject {
  const { value, violations } = decode(policyMessage, clone(input), { newer: newerFields(newerPolicyFields) });
  for (const { description } of violations) problems.push(`${at}: ${withoutPrefix(description)}`);
  const policy = value as Policy;
  // The other switches affect writes only. A seed may contain a policy that they would refuse.
  const config = { ...DEFAULT_CONFIG, anyRole };
  try {
    checkPolicy(policy, config);
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw error;
    }
    problems.push(`${at}: ${error.message}`);
  }
  return { ...(asStored(policy, config) as JsonObject), etag: policy.etag ?? newEtag() };
}

function withoutPrefix(description = ""): string {
  return description.replace("Invalid JSON payload received. ", "");
}
