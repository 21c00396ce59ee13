import type { ServiceDefinition } from "../../provider/core/definition";
import { isHidden } from "../hidden-values";
import { mapBounded } from "../reads";
import type { ReviewedResource, ReviewResult } from "../result";
import { readAccessOfStack, type AccessOfStackOptions } from "./access";
import { adoptionOf } from "./adopt";
import { associationsIn, associationService, locationNamed } from "./associations";
import type { StackClouds } from "./clouds";
import { resourceNamed } from "./named-resource";
import { copied, seedOf, type CopiedResource } from "./seed";
import { StackProviders, type CloudOf } from "./stack-providers";
import type { Adoption, StackSeed } from "./stack-files";

export interface StackAccessOptions extends AccessOfStackOptions {
  /** Patterns of principals, roles or resources, as in the policy file. @default all unmanaged grants */
  only?: readonly string[];
  /** Whether a seed of the emulator is made. @default false */
  seed?: boolean;
  /** Locations (`projects/…/locations/…`) whose firewall endpoint associations are adopted, too. @default none */
  associations?: readonly string[];
}

/**
 * Returns who has access now to all resources with grants of a stack, the file with which `pulumi import` takes over the grants
 * that the stack does not manage, and on demand a copy of the stack's resources as a seed of the emulator.
 *
 * @throws PulumiError and ConfigurationError like `accessOfStack`.
 * @throws InputError for a text that names no location.
 */
export async function readStackAccess(
  options: StackAccessOptions,
): Promise<{ result: ReviewResult; adoption: Adoption; seed?: StackSeed }> {
  const { only = [], associations: places = [], inherited = true } = options;
  const locations = places.map(locationNamed);
  const { result, state, clouds, hidden } = await readAccessOfStack(options);
  try {
    // The answer shows no secrets, and is compared with these endpoints.
    const cloudOf: CloudOf = (resource) => {
      const cloud = clouds.of(resource);
      return { grantMode: cloud.grantMode, endpointOf: (service) => hidden.scrubbed(cloud.endpointOf(service)) };
    };
    const providers = new StackProviders(state, cloudOf);
    const associations = await mapBounded(locations, (location) =>
      associationsIn(location, clouds.of(providers.associationBeside(`${location}/`)).client(associationService)),
    );
    const { resources } = result;
    const adoption = adoptionOf({ resources, state, cloudOf, associations: associations.flat(), only });
    if (!options.seed) return { result, adoption };
    const seed = await seedOf(copiedOf(resources, providers, clouds), inherited);
    const secret = resources.some(({ resource }) => isHidden(resource)) ? [NAME_IS_SECRET] : [];
    return { result, adoption, seed: { ...seed, unread: [...hidden.scrubbed(seed.unread), ...secret] } };
  } catch (error) {
    throw hidden.scrubbedError(error);
  }
}

const NAME_IS_SECRET = "The resources whose names the stack keeps secret are not in the seed";

/** The resources with grants of the stack, and its associations. */
function copiedOf(
  resources: readonly ReviewedResource[],
  providers: StackProviders,
  clouds: StackClouds,
): CopiedResource[] {
  const granted = resources.flatMap((each) => {
    const grant = providers.grantOn(each);
    return grant ? [copied({ ...resourceNamed(each.resource), cloud: clouds.of(grant) })] : [];
  });
  const associations = providers.associations.flatMap((each): CopiedResource[] => {
    const client = (service: ServiceDefinition) => clouds.of(each).client(service);
    return each.id ? [{ name: each.id, service: associationService, hasPolicy: false, client }] : [];
  });
  return [...granted, ...associations];
}
