import type { ServiceDefinition } from "../../provider/core/definition";
import { readPolicy } from "../../provider/iam/policy-api";
import type { Policy } from "../../provider/iam/policy";
import type { AccessAbove, PoliciesAbove } from "../above/policies-above";
import { attempted, mapBounded } from "../reads";
import type { Cloud } from "./clouds";
import type { NamedResource } from "./named-resource";

/** A resource, and the cloud that it is read in. */
export interface LocatedResource extends NamedResource {
  cloud: Cloud;
}

/** The result of reading a policy. */
export type PolicyRead = { resource: LocatedResource; above?: AccessAbove | undefined } & (
  { policy: Policy; failure?: undefined } | { policy?: undefined; failure: string }
);

/**
 * Reads the policies of resources, in their order. An entry for an unreadable policy has the reason; the others are read all
 * the same.
 *
 * @param above reads the policies above the resources, too.
 */
export async function readPolicies(
  resources: readonly LocatedResource[],
  above?: PoliciesAbove,
): Promise<PolicyRead[]> {
  const reads = await mapBounded(resources, read);
  if (!above) return reads;
  const inherited = await above.of(
    resources.map(({ name, reference, definition: { service }, cloud }) => {
      return { name, reference, service, client: (each: ServiceDefinition) => cloud.client(each) };
    }),
  );
  return reads.map((each, index) => ({ ...each, above: inherited[index] }));
}

async function read(resource: LocatedResource): Promise<PolicyRead> {
  const { definition, reference, name, cloud } = resource;
  const client = cloud.client(definition.service);
  const result = await attempted((call) => readPolicy({ client, resource: name, kind: reference.kind }, 3, call));
  return "failure" in result ? { resource, ...result } : { resource, policy: result.value };
}
