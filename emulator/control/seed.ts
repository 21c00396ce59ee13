import { z } from "zod";
import type { Clock } from "../state/clock";
import { SERVICES, type Service } from "../base/api";
import type { Config } from "../base/config";
import { InputError, parseInput } from "../base/input";
import type { JsonObject } from "../base/json";
import { nameWithProjectId, splitFullName, storedName } from "../base/policy-kinds";
import { collectionId, findResourceType, hasPolicy, type ResourceType } from "../services/resource-type";
import { resourceKey, type StoredResource } from "../state/stored";
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
  .describe("the access policy, as getIamPolicy returns it");

/** A list of resources, as it may be written. What a resource may hold is checked later. */
const seedSchema = z.array(
  z.strictObject({
    service: z
      .enum(SERVICES)
      .optional()
      .describe("the API, by the first part of its host name; a name with the host needs none"),
    name: z
      .string()
      .min(1)
      .describe(
        "name in the API, e.g. projects/p/locations/global/scopes/s, or the full name with the host, //pubsub.googleapis.com/projects/p/topics/t",
      ),
    body: fields.optional().describe("the body, as the API returns it; fields that the server sets may be omitted"),
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
    .describe("Seed of the Perimeter emulator: resources and their access policies");
  return z.toJSONSchema(published, { target: "draft-7" });
}

/** What a seed is read with. */
export interface SeedContext {
  readonly resourceTypes: readonly ResourceType[];
  readonly clock: Clock;
  /** `anyRole` and `newerPolicyFields` say what policies may hold, `projectNumbers` which projects names mean by a number. */
  readonly config: Config;
  /** Whether the emulator has a resource already. */
  readonly hasResource: (service: Service, name: string) => boolean;
}

/**
 * The resources to store, of a whole list. A parent that is neither in the list nor in the emulator, such as the dataset
 * of a FHIR store, is among them as the server would make it.
 *
 * @param what names the list in the error, e.g. by its file
 * @throws InputError with every mistake and its place in the list
 */
export function readSeeds(input: unknown, context: SeedContext, what = "seed"): StoredResource[] {
  const seeds = readList(input, what);
  const problems: string[] = [];
  const { projectNumbers } = context.config;
  const resources = seeds.flatMap((seed, index) => {
    const full = splitFullName(seed.name);
    const name = nameWithProjectId(storedName(full?.name ?? seed.name), projectNumbers);
    const service = seed.service ?? SERVICES.find((each) => each === full?.service);
    if (service === undefined) {
      problems.push(
        full === undefined
          ? `[${index}].service: required, unless the name is a full one: //pubsub.googleapis.com/…`
          : `[${index}].name: the emulator has no access policies of the API '${full.service}'`,
      );
      return [];
    }
    if (full !== undefined && full.service !== service) {
      problems.push(
        `[${index}].name: '${seed.name}' is a name of the API '${full.service}', and the service is '${service}'`,
      );
      return [];
    }
    const type = findResourceType(context.resourceTypes, service, name);
    if (type === undefined) {
      const forms = context.resourceTypes.filter((candidate) => candidate.service === service).map(({ path }) => path);
      problems.push(`[${index}].name: '${seed.name}' is not of the form ${probableForms(forms, name)}`);
      return [];
    }
    const body = withNameOf(seed.body ?? {}, projectNumbers);
    return [read({ ...seed, service, name, body } as ParsedSeed, type, context, `[${index}]`, problems)];
  });
  if (problems.length > 0) {
    throw new InputError(what, problems);
  }
  return [...missingParents(resources, context), ...resources];
}

/** Of the forms of an API, which may be 60, those whose last collection is in the name; without any, the first ten. */
function probableForms(forms: readonly string[], name: string): string {
  const words = new Set(name.split("/"));
  const meant = forms.filter((form) => words.has(form.split("/").at(-2) ?? ""));
  const shown = meant.length > 0 ? meant : forms.slice(0, 10);
  const rest = meant.length > 0 ? 0 : forms.length - shown.length;
  return shown.join(" or ") + (rest > 0 ? ` or ${rest} others` : "");
}

/** The body whose name has the id of its project, as the resource's own name does. */
function withNameOf(body: Record<string, unknown>, projectNumbers: Config["projectNumbers"]): Record<string, unknown> {
  return typeof body.name === "string" ? { ...body, name: nameWithProjectId(body.name, projectNumbers) } : body;
}

function missingParents(resources: readonly StoredResource[], context: SeedContext): StoredResource[] {
  const { resourceTypes, clock, hasResource } = context;
  const known = new Map(resources.map((resource) => [resourceKey(resource), resource]));
  // Parents that are added on the way are looked at in their turn.
  for (const { service, name } of known.values()) {
    const parent = { service, name: parentOf(name, findResourceType(resourceTypes, service, name)) };
    const type = findResourceType(resourceTypes, service, parent.name);
    if (type !== undefined && !known.has(resourceKey(parent)) && !hasResource(service, parent.name)) {
      const body = { ...type.defaults(parent.name, clock.timestamp()), name: parent.name };
      known.set(resourceKey(parent), { ...parent, body });
    }
  }
  return [...known.values()].slice(resources.length);
}

/** Without the collection and the id. An id such as that of an object in a bucket may have slashes. */
function parentOf(name: string, type: ResourceType | undefined): string {
  const depth = type === undefined ? 0 : type.path.split("/").length - 2;
  return name.split("/").slice(0, Math.max(0, depth)).join("/");
}

type ParsedSeed = { service: Service; name: string; body: JsonObject; policy?: JsonObject };

function read(
  seed: ParsedSeed,
  type: ResourceType,
  { clock, config }: SeedContext,
  at: string,
  problems: string[],
): StoredResource {
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
  return { ...resource, policy: checkedPolicy(policy, config, `${at}.policy`, problems) };
}
