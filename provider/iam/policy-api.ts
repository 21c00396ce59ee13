import { BadAnswerError, type Effect } from "../core/errors";
import { isRecord, listOf, filterProperties, type Values } from "../core/unknown";
import { WireShapeError } from "../core/wire";
import type { Call } from "../http/call";
import type { ApiClient, ApiRequest, PolicyForm, PolicyRequest, PolicyResource } from "../http/client";
import type { Binding, Expr, Policy } from "./policy";

/** The part of a request that has permissions. */
export type PermissionsIn = "body" | "query";

/** A resource whose policy is read or changed. */
export interface PolicyTarget extends PolicyResource {
  client: ApiClient;
  /** Where its API takes the permissions that a POST of `testIamPermissions` asks for. Default: in the body. */
  permissionsIn?: PermissionsIn;
  /** The service: its resources share the quota of policy writes. */
  api?: string;
  /** The quota of policy writes; undefined: they are not delayed. */
  writesPerMinute?: number;
}

/** What is done to a kind of resource. In messages, it comes after "Could not" and before the resource's name. */
export const doingToPolicy = {
  read: (kind: string) => `read the access policy of ${theKind(kind)}`,
  change: (kind: string) => `change the access policy of ${theKind(kind)}`,
  test: (kind: string) => `test the permissions on ${theKind(kind)}`,
};

/** `a FHIR store` -> `the FHIR store`, because a name follows it. */
function theKind(kind: string): string {
  return kind.replace(/^an? /, "the ");
}

type Method = PolicyRequest["method"];

/** The paths of the methods that have no verb after the name. */
const PATHS: Readonly<Record<Method, string>> = {
  getIamPolicy: "/iam",
  setIamPolicy: "/iam",
  testIamPermissions: "/iam/testPermissions",
};

/** Where a method of a policy is, and what all of its requests have. */
function requestTo({ form = "get", kind, resource }: PolicyTarget, method: Method) {
  const request = { resource, policy: { method, resource, kind, form } };
  if (hasPolicyAsBody(form)) return { ...request, path: resource + PATHS[method] };
  return form === "path" ? { ...request, path: `${resource}/${method}` } : { ...request, path: resource, verb: method };
}

function hasPolicyAsBody(form: PolicyForm): boolean {
  return form === "iam" || form === "iam-1";
}

/** The policy that a request for `setIamPolicy` sends. */
export function sentPolicy({ body = {}, method }: Pick<ApiRequest, "body" | "method">): Values {
  return method === "PUT" ? body : isRecord(body.policy) ? body.policy : {};
}

/** The method and the values with which a form reads a policy in a version. */
function versionFor(form: PolicyForm, version: number | undefined): Pick<ApiRequest, "method" | "query" | "body"> {
  switch (form) {
    case "get":
      return { method: "GET", query: { "options.requestedPolicyVersion": version } };
    case "post":
      return { method: "POST", body: { options: { requestedPolicyVersion: version } } };
    case "query":
      return { method: "POST", query: { "options.requestedPolicyVersion": version } };
    case "path":
    case "iam":
      return { method: "GET", query: { optionsRequestedPolicyVersion: version } };
    case "iam-1":
      return { method: "GET" };
  }
}

/**
 * `getIamPolicy`.
 *
 * @param version the newest policy format to answer with (0, 1 or 3); below 3, the API hides conditions.
 */
export function policyRequest(target: PolicyTarget, version: number): ApiRequest {
  const { kind, form = "get" } = target;
  const doing = doingToPolicy.read(kind);
  return { kind: "read", ...requestTo(target, "getIamPolicy"), ...versionFor(form, version), doing };
}

/**
 * The policy that the API answers with now. Version as of `policyRequest`.
 *
 * @throws BadAnswerError for an answer that is no policy, and the transport's errors.
 */
export function readPolicy(target: PolicyTarget, version: number, call: Call): Promise<Policy> {
  return target.client.request(policyRequest(target, version), call, policyOf);
}

/**
 * `setIamPolicy` with the default update mask (`bindings,etag`). The transport never repeats it. After a failure, the caller
 * reads the policy again.
 *
 * @returns the policy as the API stored it.
 * @throws BadAnswerError for an answer that is no policy, and the transport's errors.
 */
export function writePolicy(target: PolicyTarget, policy: Policy, call: Call): Promise<Policy> {
  const { client, kind, form = "get" } = target;
  const sent: Pick<ApiRequest, "method" | "body"> = hasPolicyAsBody(form)
    ? { method: "PUT", body: { ...policy } }
    : { method: "POST", body: { policy } };
  return client.request(
    { kind: "once", ...requestTo(target, "setIamPolicy"), ...sent, doing: doingToPolicy.change(kind) },
    call,
    policyOf,
  );
}

/**
 * Returns the policy if it has an etag. Every policy has a non-empty etag, even an unset policy. An answer without an etag may
 * come from a server other than the API. Writing such a policy back could overwrite the real one, and trusting it could drop
 * grants from the state.
 *
 * @param doing for messages: "read the access policy of the FHIR store projects/…".
 * @throws BadAnswerError with the given effect.
 */
export function withEtag(doing: string, policy: Policy, effect: Effect): Policy {
  if (policy.etag) return policy;
  throw new BadAnswerError(
    `Could not ${doing}: the API's response has no etag, so it may not be the policy. Writing it back ` +
      "could undo grants of others",
    { effect },
  );
}

/**
 * `testIamPermissions`.
 *
 * @returns the permissions that the caller does not have: all of them if the resource does not exist.
 */
export function lackingPermissions(
  target: PolicyTarget,
  permissions: readonly string[],
  call: Call,
): Promise<string[]> {
  const { client, kind, form = "get", permissionsIn = "body" } = target;
  const sent: Pick<ApiRequest, "method" | "query" | "body"> = hasPolicyAsBody(form)
    ? { method: "GET", query: { permissions } }
    : { method: "POST", [permissionsIn]: { permissions } };
  return client.request(
    { kind: "read", ...requestTo(target, "testIamPermissions"), ...sent, doing: doingToPolicy.test(kind) },
    call,
    (answer) => permissions.filter((permission) => !listOf(answer.permissions).includes(permission)),
  );
}

/**
 * Returns the policy in an answer. It checks only the properties that the arithmetic uses, and treats null as absent there, as
 * in protobuf's JSON. All other properties pass through unread.
 *
 * @throws WireShapeError
 */
export function policyOf(answer: Values): Policy {
  const policy = withoutNulls(answer, ["etag", "version", "bindings", "auditConfigs"]);
  const { bindings, auditConfigs, etag } = policy;
  if (etag !== undefined && typeof etag !== "string") throw new WireShapeError("etag", "a string");
  if (auditConfigs !== undefined && !Array.isArray(auditConfigs)) throw new WireShapeError("auditConfigs", "a list");
  if (bindings === undefined) return policy;
  if (!Array.isArray(bindings)) throw new WireShapeError("bindings", "a list");
  return { ...policy, bindings: bindings.map((each, index) => bindingOf(each, `bindings[${index}]`)) };
}

function bindingOf(value: unknown, path: string): Binding {
  if (!isRecord(value)) throw new WireShapeError(path, "an object");
  const binding = withoutNulls(value, ["role", "members", "condition"]);
  const { role, members, condition } = binding;
  if (role !== undefined && typeof role !== "string") throw new WireShapeError(`${path}.role`, "a string");
  if (members !== undefined && !(Array.isArray(members) && members.every((each) => typeof each === "string"))) {
    throw new WireShapeError(`${path}.members`, "a list of strings");
  }
  if (condition === undefined) return binding;
  return { ...binding, condition: conditionOf(condition, `${path}.condition`) };
}

function conditionOf(value: unknown, path: string): Expr {
  if (!isRecord(value)) throw new WireShapeError(path, "an object");
  const names = ["title", "description", "expression"];
  const condition = withoutNulls(value, names);
  const wrong = names.find((name) => condition[name] !== undefined && typeof condition[name] !== "string");
  if (wrong !== undefined) throw new WireShapeError(`${path}.${wrong}`, "a string");
  return condition;
}

/** Returns the object without the named properties that are null, or the same object if none of them is null. */
function withoutNulls(object: Values, names: readonly string[]): Values {
  if (!names.some((name) => object[name] === null)) return object;
  return filterProperties(object, (name, value) => value !== null || !names.includes(name));
}
