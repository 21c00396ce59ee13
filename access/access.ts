import type { Environment } from "../provider/core/environment";
import { answered, endsBy, type AnswerOptions } from "./answer";
import { comparableResources } from "./changes/compare";
import { seedOf } from "./files/seed";
import type { StackSeed } from "./files/stack-files";
import { AccessPolicies } from "./live/access-policies";
import { cloudsOfEnvironment } from "./live/clouds";
import { Hierarchy } from "./live/hierarchy";
import type { Place } from "./live/place";
import { resourceNamed } from "./meaning/grant-kinds";
import { PoliciesAbove } from "./live/policies-above";
import { reviewedResources } from "./live/reviewed-resource";
import { HiddenValues } from "./plan/hidden-values";
import { nameKey } from "./result/order";
import type { Answer, ReviewedResource } from "./result/result";
import { together } from "./result/stacks";

export interface AccessOptions extends AnswerOptions {
  /** Relative names, full names or URLs. @default the resources of `earlier` */
  resources?: readonly string[];
  /** Environment variables from which the provider takes settings and credentials. @default process.env */
  environment?: Environment;
}

export interface ReadAccessOptions extends AccessOptions {
  /** Whether a seed of the emulator is made. @default false */
  seed?: boolean;
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
    {
      ...options,
      ...(earlier && { earlier: ofNoStack(earlier, (each) => asked.has(nameKey(each))) }),
    },
  );
  return seed ? { result, seed: await seedOf(places, hierarchy, inherited) } : { result };
}

/** What an answer has of some resources, whatever stack they are of. */
function ofNoStack(answer: Answer, isWanted: (resource: ReviewedResource) => boolean): Answer {
  const { resources, ...all } = together(answer.stacks);
  const stacks = answer.stacks.slice(0, 1).map(({ summary, verdict }) => ({
    ...all,
    resources: comparableResources({ resources }).filter(isWanted),
    summary,
    verdict,
  }));
  return { ...answer, stacks };
}
