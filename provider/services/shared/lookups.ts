import type { z } from "zod";
import type { LookupDefinition } from "../../core/definition";
import type { LookupFunction } from "../../core/lifecycle";
import { untypedLookup } from "../../core/untyped";
import type { Values } from "../../core/unknown";
import { fromWire } from "../../core/wire";
import type { Call } from "../../http/call";
import { parseAnswer, requireName } from "../../http/parse-answer";
import { doingToPolicy } from "../../iam/policy-api";
import type { LifecycleContext } from "./lifecycle-context";
import type { RequestedPolicyVersion } from "./policy-types";

/** What a lookup is and what it does; `connect` gives it the APIs. */
export interface Lookup {
  readonly definition: LookupDefinition;
  /** What it does, as an infinitive that the name of the resource can follow: "look up the trigger". */
  readonly doing: string;
  /** Up to when equal lookups share a request: while it waits to be sent, or while its answer is under way. */
  readonly shared: "unsent" | "underWay";
  connect(context: LifecycleContext): LookupFunction<Values, Values, Call>;
}

/** A schema of arguments that has a text for each variable of the resource's name. */
type ArgsNaming<V extends string> = z.ZodObject & z.ZodType<Record<V, string>>;

/**
 * A lookup that is one GET of the resource.
 *
 * @param kind with its article, for messages: "the trigger".
 */
export function resourceLookup<V extends string, A extends ArgsNaming<V>, R extends z.ZodObject>(
  definition: LookupDefinition<A, R, V>,
  kind: string,
): Lookup {
  const doing = `look up ${kind}`;
  const connect = (context: LifecycleContext) => async (args: z.infer<A>, call: Call) => {
    const name = definition.resource.format(args);
    const client = context.client(definition.service);
    const answer = await client.request({ kind: "read", method: "GET", path: name, doing, resource: name }, call);
    return parseAnswer(doing, name, () => fromWire(definition.result, requireName(doing, name, answer)));
  };
  return { definition, doing, shared: "underWay", connect: (context) => untypedLookup(definition, connect(context)) };
}

/** The newest format: with an older one the API hides conditions (spec section 2.4). */
const DEFAULT_POLICY_VERSION = 3;

/**
 * A lookup of the access policy of a resource.
 *
 * @param kind with its article, for messages: "the trigger".
 */
export function policyLookup<
  V extends string,
  A extends ArgsNaming<V> & z.ZodType<RequestedPolicyVersion>,
  R extends z.ZodObject,
>(definition: LookupDefinition<A, R, V>, kind: string): Lookup {
  const doing = doingToPolicy.read(kind);
  const connect = (context: LifecycleContext) => async (args: z.infer<A>, call: Call) => {
    const resource = definition.resource.format(args);
    const { optionsRequestedPolicyVersion: version = DEFAULT_POLICY_VERSION } = args;
    const target = { client: context.client(definition.service), resource, kind };
    // The program may have changed the policy a moment ago: an answer that is shared with earlier reads may be older.
    const policy = await context.policies.read(target, { version, freshness: "now" }, call);
    return parseAnswer(doing, resource, () => fromWire(definition.result, policy));
  };
  return { definition, doing, shared: "unsent", connect: (context) => untypedLookup(definition, connect(context)) };
}
