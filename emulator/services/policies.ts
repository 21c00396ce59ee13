import type { Call, Context, Handler } from "./method";
import { invalidArgument, notFound } from "../base/errors";
import { parseMask, topFields } from "../messages/field-mask";
import { isObject, type JsonObject } from "../base/json";
import { existing } from "./checks";
import type { PolicyForm } from "../base/policy-kinds";
import type { StoredResource } from "../state/store";
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
  const resource = existingFor(type, call, context, call.stale);
  const policy = call.stale ? resource.policy : context.store.policyView(type.service, call.name);
  const config = context.config();
  // Cloud Storage refuses such a read instead of renaming roles (its discovery document, optionsRequestedPolicyVersion).
  const refuses = type.policyForm === "iam" ? { ...config, conditionalReads: "refused" as const } : config;
  return answered(type, call.name, readView(policy, requested, refuses) as JsonObject);
}

/** Most APIs read a policy with GET and the version in the query; others with POST and the version in the body. */
function requestedVersion({ query, body }: Call): number {
  const { options } = body;
  const inBody = isObject(options) ? options.requestedPolicyVersion : undefined;
  return Number(query["options.requestedPolicyVersion"] ?? query.optionsRequestedPolicyVersion ?? inBody ?? 0);
}

/**
 * The resource of a call.
 *
 * @throws ApiError NOT_FOUND; INVALID_ARGUMENT if any name exists and the request does not say of which API it is
 */
function existingFor(type: ResourceType, call: Call, context: Context, stale?: boolean): StoredResource {
  const { services, name } = call;
  if (services.length > 1 && !context.store.has(type.service, name) && type.existsUnstored?.(name, context)) {
    const prefixes = services.map((each) => `/${each}/`).join(" or ");
    throw invalidArgument(`Several APIs have resources with the path of '${name}'. Begin the path with ${prefixes}.`);
  }
  return existing(type, name, context, stale);
}

/** The policy as the API returns it. Cloud Storage adds the name of the resource. */
function answered({ policyForm }: ResourceType, name: string, policy: JsonObject): JsonObject {
  if (!isPolicyItself(policyForm)) return policy;
  const resourceId = `projects/_/buckets/${name.replace(/^b\//, "").replace("/o/", "/objects/")}`;
  return { kind: "storage#policy", resourceId, ...policy };
}

/** Whether the body of a write is the policy itself. */
function isPolicyItself(form: PolicyForm | undefined): boolean {
  return form === "iam" || form === "iam-1";
}

/** The policy in the body of a write. Compute Engine also accepts its bindings and its etag without `policy`. */
function sentPolicy({ policyForm }: ResourceType, { body }: Call): Policy {
  const { policy, bindings, etag } = body;
  if (isPolicyItself(policyForm)) return body;
  if (isObject(policy)) return policy;
  if (policyForm === "path" && (bindings !== undefined || etag !== undefined)) return { bindings, etag } as Policy;
  const description = "A policy is required.";
  throw invalidArgument(description, [{ field: "policy", description }]);
}

function setIamPolicy(type: ResourceType, call: Call, context: Context): JsonObject {
  const { service } = type;
  const config = context.config();
  const { store, writeLimits } = context;
  writeLimits.countWrite(service, call.project, config);
  const sent = sentPolicy(type, call);
  const mask = parseMask((call.body.updateMask as string | undefined) ?? DEFAULT_MASK, policyMessage);
  const resource = existingFor(type, call, context);
  const current = resource.policy as Policy | undefined;
  const next = writePolicy({ service, current, sent, mask: topFields(mask ?? []), config });
  writeLimits.refuseUnknown(principalsIn(next), config);
  store.put({ ...resource, policy: next as JsonObject });
  store.lagPolicy(service, call.name, current as JsonObject | undefined, config.policyLagReads);
  return answered(type, call.name, next as JsonObject);
}

function testIamPermissions(type: ResourceType, call: Call, context: Context): JsonObject {
  const inQuery = String(call.query.permissions ?? "")
    .split(",")
    .filter((permission) => permission !== "");
  const asked = (call.body.permissions ?? inQuery) as string[];
  const wrong = asked.find((permission) => !/^[a-z][A-Za-z0-9]*\.[A-Za-z0-9]+\.[A-Za-z0-9]+$/.test(permission));
  if (wrong !== undefined) {
    throw invalidArgument(
      `Permission ${wrong} is not valid: wildcards are not allowed, the form is service.type.verb.`,
    );
  }
  const kind = isPolicyItself(type.policyForm) ? { kind: "storage#testIamPermissionsResponse" } : {};
  if (type.existsUnstored?.(call.name, context) !== true && !context.store.has(type.service, call.name)) {
    const { notes } = call.method.api;
    if (notes.olderErrors) throw notFound(call.name, notes);
    // For a missing resource, the response is an empty set instead of 404, so that callers cannot probe names.
    return {};
  }
  const held = asked.filter((permission) => context.permissions.has(permission, call.name));
  return held.length > 0 ? { ...kind, permissions: held } : kind;
}
