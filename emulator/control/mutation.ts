import type { Config } from "../base/config";
import { InputError } from "../base/input";
import { newerFields, policyMessage } from "../iam/messages";
import { asStored } from "../iam/policy";
import { decode } from "../messages/decode";
import { mergePatch, type JsonObject } from "../base/json";
import { collectionId, hasPolicy, type ResourceType } from "../services/resource-type";
import type { StoredResource } from "../state/store";
import { checkComplete, checkedBody } from "./resource-checks";

/** An out-of-band change: a JSON merge patch (RFC 7396) of the body, a complete new policy (null removes it), or both. */
export interface Mutation {
  patch?: object;
  policy?: object | null;
}

/**
 * Applies a mutation to a resource. The body gets the same checks as in a seed. The policy gets only a check of its form, so
 * that a test can set up policies that the API would refuse.
 *
 * @throws InputError that lists all mistakes
 */
export function mutated(
  resource: StoredResource,
  type: ResourceType,
  { patch, policy }: Mutation,
  config: Config,
): StoredResource {
  const problems: string[] = [];
  const changed: StoredResource = { ...resource };
  if (patch !== undefined) {
    const merged = mergePatch(resource.body, patch as JsonObject);
    changed.body = { ...checkedBody(type, resource.name, merged, "patch", problems), name: resource.name };
    checkComplete(type, changed.body, "patch", problems);
  }
  if (policy === null) {
    delete changed.policy;
  } else if (policy !== undefined) {
    changed.policy = outsidePolicy(type, policy as JsonObject, config, problems);
  }
  if (problems.length > 0) {
    throw new InputError("mutate", problems);
  }
  return changed;
}

function outsidePolicy(type: ResourceType, policy: JsonObject, config: Config, problems: string[]): JsonObject {
  if (!hasPolicy(type)) {
    problems.push(`policy: ${collectionId(type)} have no access policy`);
  }
  const { value, violations } = decode(policyMessage, policy, { newer: newerFields(config.newerPolicyFields) });
  problems.push(...violations.map(({ description }) => `policy: ${description}`));
  return asStored(value, config) as JsonObject;
}
