import * as pulumi from "@pulumi/pulumi";
import { valueOf } from "./pulumi-internals";

/**
 * The identity of a resource among all resources of all stacks: the organization and the URN that the engine will give
 * it. Pulumi does not send dynamic providers the URN, so the program computes it.
 *
 * With a parent, it is a promise and not an output: an output that comes from the parent would make the resource depend on
 * the parent's other children.
 *
 * @returns `{organization}/urn:pulumi:{stack}::{project}::{types}::{name}`, where `types` has those of the parents too;
 * undefined at a preview of a parent that another process registers (a remote component), which has no URN yet
 */
export function identityOf(
  type: string,
  name: string,
  parent: pulumi.Resource | undefined,
): string | Promise<string | undefined> {
  if (parent === undefined) {
    return withOrganization(`urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`);
  }
  const urn = valueOf(pulumi.createUrn(name, type, parent));
  return urn.then((known) => (typeof known === "string" ? withOrganization(known) : undefined));
}

/** The identity of a registered resource, as `identityOf`. Undefined where a preview does not know its URN. */
export async function identityOfResource(resource: pulumi.Resource): Promise<string | undefined> {
  const urn = await valueOf(resource.urn);
  return typeof urn === "string" ? withOrganization(urn) : undefined;
}

function withOrganization(urn: string): string {
  return `${organizationName()}/${urn}`;
}

function organizationName(): string {
  try {
    return pulumi.getOrganization();
  } catch {
    // Old engines and mocks have no organization. Backends without organizations use this name.
    return "organization";
  }
}
