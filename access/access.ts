import type { Environment } from "../provider/core/environment";
import { comparableResources } from "./changes/compare";
import { partOfNoStack } from "./changes/earlier";
import { adoptionFor } from "./files/adopt";
import { locationNamed } from "./files/associations";
import { seedOf, seedOfStack } from "./files/seed";
import type { AdoptAs, Adoption, StackSeed } from "./files/stack-files";
import { answered, endsBy, type AnswerOptions } from "./gate/answer";
import { AccessPolicies } from "./live/access-policies";
import { cloudsOfEnvironment } from "./live/clouds";
import { Hierarchy } from "./live/hierarchy";
import type { Place } from "./live/place";
import { PoliciesAbove } from "./live/policies-above";
import { reviewedResources } from "./live/reviewed-resource";
import { StackNow } from "./live/stack-now";
import { resourceNamed } from "./meaning/grant-kinds";
import { HiddenValues } from "./plan/hidden-values";
import type { PulumiOptions } from "./plan/run-pulumi";
import { nameKey } from "./result/order";
import type { Answer } from "./result/result";
import { together } from "./result/stacks";

export interface AccessOptions extends Omit<AnswerOptions, "expected"> {
  /** Relative names, full names or URLs. @default the resources of `earlier` */
  resources?: readonly string[];
  /** Environment variables from which the provider takes settings and credentials. @default process.env */
  environment?: Environment;
}

export interface ReadAccessOptions extends AccessOptions {
  /** Whether a seed of the emulator is made. @default false */
  seed?: boolean;
}

export interface AccessOfStackOptions extends AnswerOptions, PulumiOptions {
  /** The stack's name, as `pulumi --stack` takes it. */
  stack: string;
  /** Names of resources, where `*` stands for any text: only those of the stack are in the answer. @default all of the stack */
  resources?: readonly string[];
}

export interface StackAccessOptions extends AccessOfStackOptions {
  /** Patterns of principals, roles or resources, as in the policy file. @default all unmanaged grants */
  only?: readonly string[];
  /** The provider whose types the adopted grants get. @default that of the stack's grants on the resource */
  adoptAs?: AdoptAs;
  /** Whether a seed of the emulator is made. @default false */
  seed?: boolean;
  /** Locations (`projects/…/locations/…`) whose firewall endpoint associations are adopted, too. @default none */
  associations?: readonly string[];
}

const NO_STACK = "It is unknown which of these grants a stack manages: no stack was named";

/**
 * Returns who has access to resources now, by their own policies and those above them.
 *
 * @throws InputError for a name that does not name a resource with a policy.
 * @throws ConfigurationError when the provider's settings are wrong.
 */
export async function access(options: AccessOptions): Promise<Answer> {
  return (await readAccess(options)).result;
}

/**
 * Like `access`, and on demand with a copy of the resources as a seed of the emulator.
 *
 * @throws InputError and ConfigurationError like `access`.
 */
export async function readAccess(options: ReadAccessOptions): Promise<{ result: Answer; seed?: StackSeed }> {
  const { resources = [], earlier, environment = process.env, inherited = true, seed = false } = options;
  // A wrong period is an error before anything is read.
  endsBy(options);
  const then = earlier ? comparableResources(together(earlier.stacks)) : [];
  const names = resources.length > 0 ? resources : then.map(({ resource }) => resource);
  const clouds = cloudsOfEnvironment(environment);
  const cloud = clouds.of();
  const named = names.map((name): Place => ({ cloud, ...resourceNamed(name) }));
  const places = [...new Map(named.map((place) => [place.resource, place])).values()];
  const policies = new AccessPolicies(clouds);
  const hierarchy = new Hierarchy(policies);
  const above = inherited ? new PoliciesAbove(hierarchy) : undefined;
  const read = await reviewedResources(await policies.read(places), HiddenValues.none(), above);
  // Nobody knows which of the grants a stack manages.
  const now = read.map((each) => ({ ...each, unmanaged: [] }));
  const asked = new Set(now.map(nameKey));
  const result = answered(
    { resources: now, unknown: [], notes: [NO_STACK, ...(above?.notes ?? [])] },
    { ...options, earlier: earlier && partOfNoStack(earlier, (each) => asked.has(nameKey(each))) },
  );
  return seed ? { result, seed: await seedOf(places, hierarchy, inherited) } : { result };
}

/**
 * Returns who has access now to all resources with grants of a stack, and which of the grants the stack does not manage.
 *
 * @throws PulumiError when Pulumi cannot be run, or cannot read the stack.
 * @throws ConfigurationError when the provider's settings are wrong.
 */
export async function accessOfStack(options: AccessOfStackOptions): Promise<Answer> {
  const stack = await stackNow(options);
  return stack.guarded(() => answerOf(stack, options));
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
): Promise<{ result: Answer; adoption: Adoption; seed?: StackSeed }> {
  const { associations = [], only = [], adoptAs: as, seed = false, inherited = true } = options;
  const locations = associations.map(locationNamed);
  const stack = await stackNow(options);
  return stack.guarded(async () => {
    const result = await answerOf(stack, options);
    const { resources } = together(result.stacks);
    const adoption = await adoptionFor(stack, resources, { locations, only, as });
    return seed ? { result, adoption, seed: await seedOfStack(stack, resources, inherited) } : { result, adoption };
  });
}

function stackNow(options: AccessOfStackOptions): Promise<StackNow> {
  // A wrong period is an error before anything is read.
  endsBy(options);
  return StackNow.read(options);
}

async function answerOf(stack: StackNow, options: AccessOfStackOptions): Promise<Answer> {
  const { found, compared, stated } = await stack.found();
  return answered(found, { ...options, ...compared }, stated);
}
