import { z } from "zod";
import type { Clock } from "../state/clock";
import { SERVICES } from "./config";
import { InputError, parseInput } from "./input";
import type { JsonObject } from "../messages/json";
import { collectionId, findKind, hasPolicy, pathOf, serviceOf, type ResourceKind } from "../services/kind";
import type { StoredResource } from "../state/store";
import { checkComplete, checkedBody, checkedPolicy } from "./resource-checks";

/** A resource that the emulator holds from the start, and its access policy, as the API answers them. */
export interface Seed {
  service: (typeof SERVICES)[number];
  /** Full resource name. */
  name: string;
  body?: object;
  policy?: object;
}

const seedSchema = z.array(
  z.strictObject({
    service: z.enum(SERVICES),
    name: z.string().min(1),
    body: z.record(z.string(), z.unknown()).optional(),
    policy: z.record(z.string(), z.unknown()).optional(),
  }),
);

/**
 * The resources to store, of a whole list.
 *
 * @throws InputError with every mistake and its place in the list
 */
export function readSeeds(input: unknown, kinds: readonly ResourceKind[], clock: Clock): StoredResource[] {
  const seeds = parseInput("seed", seedSchema, input ?? []);
  const problems: string[] = [];
  const resources = seeds.map((seed, index) => {
    const kind = findKind(kinds, seed.service, seed.name);
    if (kind === undefined) {
      const ofService = kinds.filter((candidate) => serviceOf(candidate) === seed.service);
      const forms = ofService.map(pathOf).join(" or ");
      problems.push(`[${index}].name: '${seed.name}' is not of the form ${forms}`);
      return undefined;
    }
    return read({ ...seed, body: seed.body ?? {} } as ParsedSeed, kind, clock, `[${index}]`, problems);
  });
  if (problems.length > 0) {
    throw new InputError("seed", problems);
  }
  return resources.filter((resource) => resource !== undefined);
}

type ParsedSeed = { service: Seed["service"]; name: string; body: JsonObject; policy?: JsonObject };

function read(seed: ParsedSeed, kind: ResourceKind, clock: Clock, at: string, problems: string[]): StoredResource {
  const { service, name, policy } = seed;
  const value = checkedBody(kind, name, seed.body, `${at}.body`, problems);
  const body: JsonObject = { ...kind.defaults(name, clock.timestamp()), ...value, name };
  checkComplete(kind, body, `${at}.body`, problems);
  const resource: StoredResource = { service, name, body };
  if (policy === undefined) {
    return resource;
  }
  if (!hasPolicy(kind)) {
    problems.push(`${at}.policy: ${collectionId(kind)} have no access policy`);
    return resource;
  }
  return { ...resource, policy: checkedPolicy(policy, service, `${at}.policy`, problems) };
}
