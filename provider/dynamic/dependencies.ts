import * as pulumi from "@pulumi/pulumi";
import { childrenOf, isLocalComponent, parentOf, typeOf, valueOf } from "./pulumi-internals";

/**
 * The ids of all dependencies: the resources in arguments and in `dependsOn`, and their children. A preview knows all ids
 * only if all of these resources exist.
 */
export async function idsOfDependencies(
  args: pulumi.Output<unknown>,
  dependsOn: pulumi.InvokeOutputOptions["dependsOn"],
): Promise<pulumi.Output<pulumi.ID>[]> {
  const declared = await resourcesIn(dependsOn);
  const sources = await pulumi.getAllResources(args);
  // A resource of another process, known here only by its URN, has no id.
  return withDescendants([...declared, ...sources])
    .filter(pulumi.CustomResource.isInstance)
    .flatMap(({ id }) => (id ? [id] : []));
}

/** `dependsOn` as a list of resources: it may be one resource or a list, and each may be an output or a promise. */
async function resourcesIn(dependsOn: unknown): Promise<pulumi.Resource[]> {
  const value = await (pulumi.Output.isInstance(dependsOn) ? valueOf(dependsOn) : dependsOn);
  if (pulumi.Resource.isInstance(value)) return [value];
  if (!Array.isArray(value)) return [];
  return (await Promise.all(value.map(resourcesIn))).flat();
}

/**
 * Whether the program has registered a resource that may create cloud resources of other kinds: any resource except those of
 * this package, components of this process, providers, and Pulumi's own, such as the stack.
 *
 * @param resource of the program.
 * @param isOwn whether a resource belongs to this package.
 */
export function hasOtherResources(resource: pulumi.Resource, isOwn: (each: pulumi.Resource) => boolean): boolean {
  let root = resource;
  for (let parent = parentOf(root); parent; parent = parentOf(root)) root = parent;
  // Without the stack, the other resources of the program are unknown.
  if (typeOf(root) !== STACK_TYPE) return true;
  return withDescendants([root]).some(
    (each) => !isOwn(each) && !isLocalComponent(each) && !/^pulumi:(pulumi|providers):/.test(typeOf(each)),
  );
}

const STACK_TYPE = "pulumi:pulumi:Stack";

/** Resources with all their descendants; each once. */
function withDescendants(resources: readonly pulumi.Resource[]): pulumi.Resource[] {
  const seen = new Set<pulumi.Resource>();
  const visit = (resource: pulumi.Resource) => {
    if (seen.has(resource)) return;
    seen.add(resource);
    childrenOf(resource).forEach(visit);
  };
  resources.forEach(visit);
  return [...seen];
}
