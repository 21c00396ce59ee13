import * as pulumi from "@pulumi/pulumi";
import { valueOf } from "./pulumi-internals";

/**
 * The identity of a resource among all resources of all stacks: the organization and the URN that the engine will give
 * it. Pulumi does not tell dynamic providers the URN, so the program computes it.
 *
 * With a parent a promise and not an output: an output that comes from the parent would make the resource depend on the parent's other
 * children.
 *
 * @returns `{organization}/urn:pulumi:{stack}::{project}::{types}::{name}`, where `types` has those of the parents too
 */
export function identityOf(type: string, name: string, parent: pulumi.Resource | undefined): pulumi.Input<string> {
  const withoutParents = `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`;
  if (parent === undefined) return withOrganization(withoutParents);
  const urn = valueOf(pulumi.createUrn(name, type, parent));
  // At preview, a parent that another process registers (a remote component) has no URN yet.
  return urn.then((known) => withOrganization(typeof known === "string" ? known : withoutParents));
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
    // Old engines and mocks name no organization. Backends without organizations call theirs this.
    return "organization";
  }
}
