import * as pulumi from "@pulumi/pulumi";
import { childrenOf, valueOf } from "./pulumi-internals";

/**
 * The ids of all resources that something depends on: those that its arguments come from, those of `dependsOn`, and their
 * children. A preview knows all of the ids only once every one of these resources exists.
 */
export async function idsOfDependencies(
  args: pulumi.Output<unknown>,
  dependsOn: pulumi.InvokeOutputOptions["dependsOn"],
): Promise<pulumi.Output<pulumi.ID>[]> {
  const declared = await resourcesIn(dependsOn);
  const sources = await pulumi.getAllResources(args);
  const seen = new Set<pulumi.Resource>();
  const visit = (resource: pulumi.Resource) => {
    if (seen.has(resource)) return;
    seen.add(resource);
    childrenOf(resource).forEach(visit);
  };
  [...declared, ...sources].forEach(visit);
  // A resource that another process made, and that this one knows by its URN, has no id here.
  return [...seen].filter(pulumi.CustomResource.isInstance).flatMap(({ id }) => (id ? [id] : []));
}

/** `dependsOn` as a list of resources: it may be one resource or a list, and each may be an output or a promise. */
async function resourcesIn(dependsOn: unknown): Promise<pulumi.Resource[]> {
  const value = await (pulumi.Output.isInstance(dependsOn) ? valueOf(dependsOn) : dependsOn);
  if (pulumi.Resource.isInstance(value)) return [value];
  if (!Array.isArray(value)) return [];
  return (await Promise.all(value.map(resourcesIn))).flat();
}
