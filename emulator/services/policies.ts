import type { Call, Context, Handler } from "./method";
import { invalidArgument } from "../base/errors";
import { parseMask, topFields } from "../messages/field-mask";
import { isObject, type JsonObject } from "../base/json";
import { existing } from "./checks";
import { principalsIn } from "../iam/members";
import { policyMessage, type Policy } from "../iam/messages";
import { checkVersion, readView, writePolicy } from "../iam/policy";
import type { ResourceType } from "./resource-type";

const DEFAULT_MASK = "bindings,etag";

/** The handlers of getIamPolicy, setIamPolicy and testIamPermissions of a type of resource (docs/wire.md section 9). */
export function policyHandlers(
  type: ResourceType,
): Record<"getIamPolicy" | "setIamPolicy" | "testIamPermissions", Handler> {
  return {
    getIamPolicy: (call, context) => getIamPolicy(type, call, context),
    setIamPolicy: (call, context) => setIamPolicy(type, call, context),
    testIamPermissions: (call, context) => testIamPermissions(type, call, context),
  };
}

function getIamPolicy(type: ResourceType, call: Call, context: Context): JsonObject {
  const requested = requestedVersion(call);
  checkVersion(requested, "Requested policy version");
  const resource = existing(type, call.name, context, call.stale);
  const policy = call.stale ? resource.policy : context.store.policyView(type.service, call.name);
  return readView(policy, requested, context.config()) as JsonObject;
}

/** Most APIs read a policy with GET; the Resource Manager with POST, and the version in the body. */
function requestedVersion({ query, body }: Call): number {
  const { options } = body;
  const inBody = isObject(options) ? options.requestedPolicyVersion : undefined;
  return Number(query["options.requestedPolicyVersion"] ?? inBody ?? 0);
}

function setIamPolicy(type: ResourceType, call: Call, context: Context): JsonObject {
  const { service } = type;
  const config = context.config();
  const { store, writeLimits } = context;
  writeLimits.countWrite(service, call.project, config);
  if (!isObject(call.body.policy)) {
    const description = "A policy is required.";
    throw invalidArgument(description, [{ field: "policy", description }]);
  }
  const mask = parseMask((call.body.updateMask as string | undefined) ?? DEFAULT_MASK, policyMessage);
  const resource = existing(type, call.name, context);
  const current = resource.policy as Policy | undefined;
  const sent = call.body.policy as Policy;
  const next = writePolicy({ service, current, sent, mask: topFields(mask ?? []), config });
  writeLimits.refuseUnknown(principalsIn(next), config);
  store.put({ ...resource, policy: next as JsonObject });
  store.lagPolicy(service, call.name, current as JsonObject | undefined, config.policyLagReads);
  return next as JsonObject;
}

function testIamPermissions(type: ResourceType, call: Call, context: Context): JsonObject {
  const asked = (call.body.permissions ?? []) as string[];
  const wrong = asked.find((permission) => !/^[a-z][A-Za-z0-9]*\.[A-Za-z0-9]+\.[A-Za-z0-9]+$/.test(permission));
  if (wrong !== undefined) {
    throw invalidArgument(
      `Permission ${wrong} is not valid: wildcards are not allowed, the form is service.type.verb.`,
    );
  }
  // For a missing resource, the response is an empty set instead of 404, so that callers cannot probe names.
  if (!type.alwaysExists && !context.store.has(type.service, call.name)) {
    return {};
  }
  const held = asked.filter((permission) => context.permissions.has(permission, call.name));
  return held.length > 0 ? { permissions: held } : {};
}
