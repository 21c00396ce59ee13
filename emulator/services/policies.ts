import type { Call, Context, Handler } from "./method";
import type { Service } from "../base/api";
import { invalidArgument, notFound } from "../base/errors";
import { parseMask, topFields } from "../messages/field-mask";
import { isObject, type JsonObject } from "../base/json";
import { find } from "./checks";
import { principalsIn } from "../iam/members";
import { policyMessage, type Policy } from "../iam/messages";
import { checkVersion, readView, writePolicy } from "../iam/policy";

const DEFAULT_MASK = "bindings,etag";

/** The handlers of getIamPolicy, setIamPolicy and testIamPermissions of a service (docs/wire.md section 9). */
export function policyHandlers(
  service: Service,
): Record<"getIamPolicy" | "setIamPolicy" | "testIamPermissions", Handler> {
  return {
    getIamPolicy: (call, context) => getIamPolicy(service, call, context),
    setIamPolicy: (call, context) => setIamPolicy(service, call, context),
    testIamPermissions: (call, context) => testIamPermissions(service, call, context),
  };
}

function getIamPolicy(service: Service, call: Call, context: Context): JsonObject {
  const requested = Number(call.query["options.requestedPolicyVersion"] ?? 0);
  checkVersion(requested, "Requested policy version");
  const { store } = context;
  const resource = call.stale ? store.getStale(service, call.name) : store.get(service, call.name);
  if (resource === undefined) {
    throw notFound(call.name);
  }
  const policy = call.stale ? resource.policy : store.policyView(service, call.name);
  return readView(policy, requested, context.config()) as JsonObject;
}

function setIamPolicy(service: Service, call: Call, context: Context): JsonObject {
  const config = context.config();
  const { store, writeLimits } = context;
  writeLimits.countWrite(service, call.project, config);
  if (!isObject(call.body.policy)) {
    const description = "A policy is required.";
    throw invalidArgument(description, [{ field: "policy", description }]);
  }
  const mask = parseMask((call.body.updateMask as string | undefined) ?? DEFAULT_MASK, policyMessage);
  const resource = find(store, service, call.name);
  const current = resource.policy as Policy | undefined;
  const sent = call.body.policy as Policy;
  const next = writePolicy({ service, current, sent, mask: topFields(mask ?? []), config });
  writeLimits.refuseUnknown(principalsIn(next), config);
  store.put({ ...resource, policy: next as JsonObject });
  store.lagPolicy(service, call.name, current as JsonObject | undefined, config.policyLagReads);
  return next as JsonObject;
}

function testIamPermissions(service: Service, call: Call, context: Context): JsonObject {
  const asked = (call.body.permissions ?? []) as string[];
  const wrong = asked.find((permission) => !/^[a-z][A-Za-z0-9]*\.[A-Za-z0-9]+\.[A-Za-z0-9]+$/.test(permission));
  if (wrong !== undefined) {
    throw invalidArgument(
      `Permission ${wrong} is not valid: wildcards are not allowed, the form is service.type.verb.`,
    );
  }
  // For a missing resource, the response is an empty set instead of 404, so that callers cannot probe names.
  if (!context.store.has(service, call.name)) {
    return {};
  }
  const held = asked.filter((permission) => context.permissions.has(permission, call.name));
  return held.length > 0 ? { permissions: held } : {};
}
