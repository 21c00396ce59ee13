import { z } from "zod";
import type { Clock } from "../state/clock";
import { SERVICES } from "./config";
import { InputError, parseInput } from "./input";
import type { JsonObject } from "../messages/json";
import {
  collectionId,
  findResourceType,
  hasPolicy,
  pathOf,
  serviceOf,
  type ResourceType,
} from "../services/resource-type";
import type { StoredResource } from "../state/store";
import { checkComplete, checkedBody, checkedPolicy } from "./resource-checks";

const fields = z.record(z.string(), z.unknown());

const policySchema = z
  .looseObject({
    version: z.union([z.literal(0), z.literal(1), z.literal(3)]).optional(),
    etag: z.string().optional(),
    bindings: z
      .array(
        z.looseObject({
          role: z.string().describe("e.g. roles/healthcare.fhirStoreViewer"),
          members: z.array(z.string()).min(1).describe("e.g. user:ada@example.com"),
          condition: z
            .looseObject({ title: z.string(), expression: z.string().describe("in the Common Expression Language") })
            .optional()
            .describe("needs version 3"),
        }),
      )
      .optional(),
    auditConfigs: z.array(z.looseObject({ service: z.string() })).optional(),
  })
  .describe("the access policy, as getIamPolicy answers it");

/** A list of resources, as it may be written. What a resource may hold is checked later. */
const seedSchema = z.array(
  z.strictObject({
    service: z.enum(SERVICES).describe("the API, by the first part of its host name"),
    name: z.string().min(1).describe("full resource name, e.g. projects/p/locations/global/scopes/s"),
    body: fields.optional().describe("as the API answers it; what the server sets may be left out"),
    policy: fields.optional(),
  }),
);

/** The public type is made of the type of its result, which has nothing of zod (`input.ts`). @throws InputError */
function readList(input: unknown, what: string) {
  return parseInput(what, seedSchema, input ?? []);
}

/** A resource that the emulator holds from the start, and its access policy, as the API answers them. */
export type Seed = ReturnType<typeof readList>[number];

/** The form of a seed file as a JSON schema, for editors (`# yaml-language-server: $schema=…`). */
export function seedJsonSchema(): object {
  const published = z
    .array(seedSchema.element.extend({ policy: policySchema.optional() }))
    .describe("Seed of the Perimeter emulator: resources and access policies that it holds");
  return z.toJSONSchema(published, { target: "draft-7" });
}

/**
 * The resources to store, of a whole list.
 *
 * @param what names the list in the error, e.g. by its file
 * @throws InputError with every mistake and its place in the list
 */
export function readSeeds(
  input: unknown,
  resourceTypes: readonly ResourceType[],
  clock: Clock,
  what = "seed",
): StoredResource[] {
  const seeds = readList(input, what);
  const problems: string[] = [];
  const resources = seeds.map((seed, index) => {
    const type = findResourceType(resourceTypes, seed.service, seed.name);
    if (type === undefined) {
      const ofService = resourceTypes.filter((candidate) => serviceOf(candidate) === seed.service);
      const forms = ofService.map(pathOf).join(" or ");
      problems.push(`[${index}].name: '${seed.name}' is not of the form ${forms}`);
      return undefined;
    }
    return read({ ...seed, body: seed.body ?? {} } as ParsedSeed, type, clock, `[${index}]`, problems);
  });
  if (problems.length > 0) {
    throw new InputError(what, problems);
  }
  return resources.filter((resource) => resource !== undefined);
}

type ParsedSeed = { service: Seed["service"]; name: string; body: JsonObject; policy?: JsonObject };

function read(seed: ParsedSeed, type: ResourceType, clock: Clock, at: string, problems: string[]): StoredResource {
  const { service, name, policy } = seed;
  const value = checkedBody(type, name, seed.body, `${at}.body`, problems);
  const body: JsonObject = { ...type.defaults(name, clock.timestamp()), ...value, name };
  checkComplete(type, body, `${at}.body`, problems);
  const resource: StoredResource = { service, name, body };
  if (policy === undefined) {
    return resource;
  }
  if (!hasPolicy(type)) {
    problems.push(`${at}.policy: ${collectionId(type)} have no access policy`);
    return resource;
  }
  return { ...resource, policy: checkedPolicy(policy, service, `${at}.policy`, problems) };
}
