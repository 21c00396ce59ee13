import { BadAnswerError, type Effect } from "../core/errors";
import { parseAnswer, type ApiClient } from "../http/client";
import type { Call } from "../http/call";
import { isRecord, type Values } from "../core/unknown";
import { WireShapeError } from "../core/wire";
import type { Binding, Policy } from "./policy";

/** A resource whose policy is read or changed. */
export interface PolicyTarget {
  client: ApiClient;
  /** Relative name. */
  resource: string;
  /** For messages, with its article: "a FHIR store". */
  kind: string;
  /** The service, and how many policy writes a minute it allows, where that is known. */
  api?: string;
  writesPerMinute?: number;
}

/** `getIamPolicy`. The version is the newest format to answer with; below 3, conditions are hidden. */
export async function readPolicy(target: PolicyTarget, version: number | undefined, call: Call): Promise<Policy> {
  const doing = `read the access policy of ${target.kind}`;
  const answer = await target.client.request(
    {
      kind: "read",
      method: "GET",
      path: target.resource,
      verb: "getIamPolicy",
      query: { "options.requestedPolicyVersion": version },
      doing,
      resource: target.resource,
    },
    call,
  );
  return parseAnswer(doing, target.resource, () => policyOf(answer));
}

/** `setIamPolicy` with the default update mask (`bindings,etag`). Never repeated by the transport: its caller re-reads. */
export async function writePolicy(target: PolicyTarget, policy: Policy, call: Call): Promise<Policy> {
  const doing = `change the access policy of ${target.kind}`;
  const answer = await target.client.request(
    {
      kind: "once",
      method: "POST",
      path: target.resource,
      verb: "setIamPolicy",
      body: { policy: policy as Values },
      doing,
      resource: target.resource,
    },
    call,
  );
  return parseAnswer(doing, target.resource, () => policyOf(answer), "unknown");
}

/**
 * The policy, which has an etag that is not empty: every policy has one, even an unset one. An answer without it may be
 * of something else than the API. To write it back would overwrite whatever is there, and to believe it would drop grants
 * from the state.
 *
 * @param doing for messages: "read the access policy of a FHIR store projects/…".
 * @throws BadAnswerError with this effect.
 */
export function withEtag(doing: string, policy: Policy, effect: Effect): Policy {
  if (policy.etag) return policy;
  throw new BadAnswerError(
    `Could not ${doing}: the API answered without the policy's etag, so that may not be the policy. Writing it back ` +
      "could undo what others granted",
    { effect },
  );
}

/** `testIamPermissions`: those of the permissions that the caller lacks. On a missing resource, all of them. */
export async function lackingPermissions(
  target: PolicyTarget,
  permissions: readonly string[],
  call: Call,
): Promise<string[]> {
  const answer = await target.client.request(
    {
      kind: "read",
      method: "POST",
      path: target.resource,
      verb: "testIamPermissions",
      body: { permissions },
      doing: `test the permissions on ${target.kind}`,
      resource: target.resource,
    },
    call,
  );
  const held = Array.isArray(answer.permissions) ? (answer.permissions as unknown[]) : [];
  return permissions.filter((permission) => !held.includes(permission));
}

/**
 * The policy in an answer. Checks just what the arithmetic relies on, and takes a null there for absent, as protobuf's
 * JSON has it; everything else is passed through unread.
 *
 * @throws WireShapeError
 */
export function policyOf(answer: Values): Policy {
  const policy = withoutNulls(answer, ["etag", "version", "bindings", "auditConfigs"]);
  const { bindings, auditConfigs, etag } = policy;
  if (etag !== undefined && typeof etag !== "string") throw new WireShapeError("etag", "a string");
  if (auditConfigs !== undefined && !Array.isArray(auditConfigs)) throw new WireShapeError("auditConfigs", "a list");
  if (bindings === undefined) return policy as Policy;
  if (!Array.isArray(bindings)) throw new WireShapeError("bindings", "a list");
  return { ...policy, bindings: bindings.map((each, index) => bindingOf(each, `bindings[${index}]`)) } as Policy;
}

function bindingOf(value: unknown, path: string): Binding {
  if (!isRecord(value)) throw new WireShapeError(path, "an object");
  const binding = withoutNulls(value, ["role", "members", "condition"]);
  const { role, members, condition } = binding;
  if (role !== undefined && typeof role !== "string") throw new WireShapeError(`${path}.role`, "a string");
  if (members !== undefined && !(Array.isArray(members) && members.every((each) => typeof each === "string"))) {
    throw new WireShapeError(`${path}.members`, "a list of strings");
  }
  if (condition !== undefined && !isRecord(condition)) throw new WireShapeError(`${path}.condition`, "an object");
  return binding as Binding;
}

/** The object without those of the named properties that are null; the very same where none is. */
function withoutNulls(object: Values, names: readonly string[]): Values {
  if (!names.some((name) => object[name] === null)) return object;
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => value !== null || !names.includes(name)));
}
