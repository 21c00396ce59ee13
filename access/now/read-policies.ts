import type { Environment } from "../../provider/core/config/environment";
import { checkedConfiguration } from "../../provider/core/config/resolve";
import type { ServiceDefinition } from "../../provider/core/definition";
import type { Values } from "../../provider/core/unknown";
import { asCall } from "../../provider/http/call";
import { systemClock } from "../../provider/http/clock";
import { readPolicy } from "../../provider/iam/policy-api";
import type { Policy } from "../../provider/iam/policy";
import { Connections } from "../../provider/runtime/connections";
import type { AccessAbove, PoliciesAbove } from "../above/policies-above";
import { READ_TIMEOUT_MS, readFailure } from "../reads";
import { mapBounded } from "../reads";
import type { NamedResource } from "./named-resource";

/** The result of reading a policy. */
export type PolicyRead = { resource: NamedResource; baseUrl?: string; above?: AccessAbove | undefined } & (
  { policy: Policy; failure?: undefined } | { policy?: undefined; failure: string }
);

/**
 * Reads the policies of resources, in their order. An entry for an unreadable policy has the reason; the others are read all
 * the same.
 *
 * @param settings of the provider, as `Provider` takes them.
 * @param above reads the policies above the resources, too.
 */
export async function readPolicies(
  resources: readonly NamedResource[],
  settings: Values,
  environment: Environment,
  above?: PoliciesAbove,
): Promise<PolicyRead[]> {
  const connections = new Connections(checkedConfiguration(settings, environment), { clock: systemClock });
  const reads = await mapBounded(resources, (resource) => read(resource, connections));
  if (!above) return reads;
  const client = (service: ServiceDefinition) => connections.client(service);
  const inherited = await above.of(
    resources.map(({ name, reference, definition: { service } }) => ({ name, reference, service, client })),
  );
  return reads.map((each, index) => ({ ...each, above: inherited[index] }));
}

async function read(resource: NamedResource, connections: Connections): Promise<PolicyRead> {
  const { definition, reference, name } = resource;
  const begun = systemClock.now();
  let baseUrl: string | undefined;
  try {
    const client = connections.client(definition.service);
    baseUrl = client.baseUrl;
    const target = { client, resource: name, kind: reference.kind };
    const policy = await asCall(systemClock, READ_TIMEOUT_MS, (call) => readPolicy(target, 3, call));
    return { resource, baseUrl, policy };
  } catch (error) {
    return { resource, baseUrl, failure: readFailure(error, systemClock.now() - begun) };
  }
}
