import type { Call, Context, Handler } from "../context";
import type { Service } from "../control/config";
import { invalidArgument, notFound } from "../http/errors";
import { parseMask, topFields } from "../messages/field-mask";
import { isObject, type JsonObject } from "../messages/json";
import { isDenied } from "../auth/permissions";
import type { StoredResource } from "../state/store";
import { principalsIn } from "./members";
import { policyMessage, type Policy } from "./messages";
import { checkVersion, readView, writePolicy } from "./policy";

const DEFAULT_MASK = "bindings,etag";

/** What answers getIamPolicy, setIamPolicy and testIamPermissions of a service (docs/wire.md section 9). */
export function policyHandlers(
  service: Service,
): Record<"getIamPolicy" | "setIamPolicy" | "testIamPermissions", Handler> {
  return {
    getIamPolicy,
    setIamPolicy: (call, context) => setIamPolicy(service, call, context),
    testIamPermissions,
  };
}

function find(call: Call, context: Context): StoredResource {
  const resource = call.stale ? context.store.getStale(call.name) : context.store.get(call.name);
  if (resource === undefined) {
    throw notFound(call.name);
  }
  return resource;
}

function getIamPolicy(call: Call, context: Context): JsonObject {
  const requested = Number(call.query["options.requestedPolicyVersion"] ?? 0);
  checkVersion(requested, "Requested policy version");
  const resource = find(call, context);
  const policy = call.stale ? resource.policy : context.store.policyView(call.name);
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
  const resource = store.get(call.name);
  if (resource === undefined) {
    throw notFound(call.name);
  }
  const current = resource.policy as Policy | undefined;
  const sent = call.body.policy as Policy;
  const next = writePolicy({ service, current, sent, mask: topFields(mask ?? []), config });
  writeLimits.refuseUnknown(principalsIn(next), config);
  store.put({ ...resource, policy: next as JsonObject });
  store.lagPolicy(call.name, current as JsonObject | undefined, config.policyLagReads);
  return next as JsonObject;
}

function testIamPermissions(call: Call, context: Context): JsonObject {
  const asked = (call.body.permissions ?? []) as string[];
  const wrong = asked.find((permission) => !/^[a-z][A-Za-z0-9]*\.[A-Za-z0-9]+\.[A-Za-z0-9]+$/.test(permission));
  if (wrong !== undefined) {
    throw invalidArgument(
      `Permission ${wrong} is not valid: wildcards are not allowed, the form is service.type.verb.`,
    );
  }
  // For a missing resource it answers an empty set and not 404, so that nobody can find out names.
  if (!context.store.has(call.name)) {
    return {};
  }
  const held = asked.filter((permission) => !isDenied(context.config(), permission, call.name));
  return held.length > 0 ? { permissions: held } : {};
}
