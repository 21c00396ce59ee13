import * as pulumi from "@pulumi/pulumi";
import { valueOf } from "./pulumi-internals";

/**
 * What tells a resource from every other one: the organization and the URN that the engine will give it, with the types
 * of its parents. Pulumi's dynamic providers are not told the URN, so the program works it out.
 *
 * A promise and not an output: an output of the parent would make the resource depend on the parent's other children.
 *
 * @returns `{organization}/urn:pulumi:{stack}::{project}::{types}::{name}`
 */
export function identityOf(type: string, name: string, parent: pulumi.Resource | undefined): Promise<string> {
  const urn = valueOf(pulumi.createUrn(name, type, parent));
  // A parent that another engine's process registers has no URN yet at preview.
  const standIn = `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`;
  return urn.then((known) => withOrganization(typeof known === "string" ? known : standIn));
}

/** As `identityOf`, of a resource that is registered. */
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
    // Old engines, and mocks, do not say. It is what backends without organizations call theirs.
    return "organization";
  }
}
