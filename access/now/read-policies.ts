import type { Environment } from "../../provider/core/environment";
import { checkedConfiguration } from "../../provider/core/config/resolve";
import type { ServiceDefinition } from "../../provider/core/definition";
import type { Values } from "../../provider/core/unknown";
import { systemClock } from "../../provider/http/clock";
import { readPolicy } from "../../provider/iam/policy-api";
import type { Policy } from "../../provider/iam/policy";
import { Connections } from "../../provider/runtime/connections";
import type { AccessAbove, PoliciesAbove } from "../above/policies-above";
import { attempted, mapBounded } from "../reads";
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
  let baseUrl: string | undefined;
  const result = await attempted((call) => {
    const client = connections.client(definition.service);
    baseUrl = client.baseUrl;
    return readPolicy({ client, resource: name, kind: reference.kind }, 3, call);
  });
  return "failure" in result ? { resource, baseUrl, ...result } : { resource, baseUrl, policy: result.value };
}
