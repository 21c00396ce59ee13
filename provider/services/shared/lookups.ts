import type { LookupDefinition } from "../../core/definition";
import type { LookupFunction } from "../../core/lifecycle";
import type { Values } from "../../core/unknown";
import { fromWire } from "../../core/wire";
import type { Call } from "../../http/call";
import { requireName, parseAnswer } from "../../http/parse-answer";
import { doingToPolicy } from "../../iam/policy-api";
import type { LifecycleContext } from "./lifecycle-context";

/** What a lookup is and what it does; `connect` gives it the APIs. */
export interface Lookup {
  definition: LookupDefinition;
  connect(environment: LifecycleContext): LookupFunction<Call>;
}

/** A lookup that is one GET of the resource. `kind`: with its article, for messages. */
export function resourceLookup(definition: LookupDefinition, kind: string): Lookup {
  return {
    definition,
    connect: (environment) => async (args, call) => {
      const name = resourceName(definition, args);
      const doing = `look up ${kind}`;
      const client = environment.client(definition.service);
      const answer = await client.request({ kind: "read", method: "GET", path: name, doing, resource: name }, call);
      return parseAnswer(doing, name, () => fromWire(definition.result, requireName(doing, name, answer)));
    },
  };
}

/** The newest format: with an older one the API hides conditions (spec section 2.4). */
const DEFAULT_POLICY_VERSION = 3;

/** A lookup of the access policy of a resource. `kind`: with its article, for messages. */
export function policyLookup(definition: LookupDefinition, kind: string): Lookup {
  return {
    definition,
    connect: (environment) => async (args, call) => {
      const resource = resourceName(definition, args);
      const version = (args.optionsRequestedPolicyVersion as number | undefined) ?? DEFAULT_POLICY_VERSION;
      const target = { client: environment.client(definition.service), resource, kind };
      // What a program reads must not be older than its own changes: never an answer that is shared with earlier reads.
      const policy = await environment.policies.read(target, { version, freshness: "now" }, call);
      return parseAnswer(doingToPolicy.read(kind), resource, () => fromWire(definition.result, policy));
    },
  };
}

function resourceName(definition: LookupDefinition, args: Values): string {
  return definition.resource.format(args as Record<string, string>);
}
