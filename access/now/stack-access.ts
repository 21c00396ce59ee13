import { checkedConfiguration } from "../../provider/core/config/resolve";
import type { Environment } from "../../provider/core/environment";
import type { ServiceDefinition } from "../../provider/core/definition";
import type { ApiClient } from "../../provider/http/client";
import { systemClock } from "../../provider/http/clock";
import { Connections } from "../../provider/runtime/connections";
import type { PlannedState } from "../plan/planned-state";
import { providerSettings } from "../plan/provider-settings";
import { mapBounded } from "../reads";
import type { ReviewResult } from "../result";
import { readAccessOfStack, type AccessOfStackOptions, type ReadAccess } from "./access";
import { adoptionOf, StackProviders } from "./adopt";
import { ASSOCIATION, associationsIn, associationService, locationNamed } from "./associations";
import { resourceNamed } from "./named-resource";
import { seedOf, type CopiedResource } from "./seed";
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
  const { only = [], associations: places = [], environment = process.env, inherited = true } = options;
  const locations = places.map(locationNamed);
  const read = await readAccessOfStack(options);
  const { result, state, hidden } = read;
  const providers = new StackProviders(state);
  const clients = clientsOf(read, environment);
  try {
    const associations = await mapBounded(locations, (location) =>
      associationsIn(location, clients(providers.associationBeside(`${location}/`))(associationService)),
    );
    const adoption = adoptionOf({ resources: result.resources, state, associations: associations.flat(), only });
    if (!options.seed) return { result, adoption };
    const { resources, unread } = await seedOf(copiedOf(result, providers, clients), inherited);
    return { result, adoption, seed: { resources, unread: hidden.scrubbed(unread) } };
  } catch (error) {
    throw hidden.scrubbedError(error);
  }
}

/** The clients of services, with the settings of the provider of a resource of the stack. Default: the default provider. */
type Clients = (resource: PlannedState | undefined) => (service: ServiceDefinition) => ApiClient;

function clientsOf({ plan, configuration }: ReadAccess, environment: Environment): Clients {
  const settings = providerSettings(plan, { state: undefined, given: configuration });
  const known = new Map<string, Connections>();
  return (resource) => {
    const { type = ASSOCIATION, provider } = resource ?? {};
    const { key, values } = settings.of({ type, ...(provider === undefined ? {} : { provider }) });
    const connections =
      known.get(key) ?? new Connections(checkedConfiguration(values, environment), { clock: systemClock });
    known.set(key, connections);
    return (service) => connections.client(service);
  };
}

/** The resources with grants of the stack, and its associations. */
function copiedOf({ resources }: ReviewResult, providers: StackProviders, clients: Clients): CopiedResource[] {
  const granted = resources.map(({ resource }): CopiedResource => {
    const { name, definition, reference } = resourceNamed(resource);
    const client = clients(providers.grantOn(name));
    return { name, service: definition.service, hasPolicy: true, parent: reference.above?.parent, client };
  });
  const associations = providers.associations.flatMap((each): CopiedResource[] =>
    each.id ? [{ name: each.id, service: associationService, hasPolicy: false, client: clients(each) }] : [],
  );
  return [...granted, ...associations];
}
