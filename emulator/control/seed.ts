import { z } from "zod";
import type { Clock } from "../state/clock";
import { DEFAULT_CONFIG, SERVICES } from "./config";
import { InputError, parseInput } from "./input";
import { ApiError } from "../http/errors";
import { policyMessage, type Policy } from "../iam/messages";
import { checkPolicy, newEtag, asStored } from "../iam/policy";
import { clone, textOf, type JsonObject } from "../messages/json";
import { decode } from "../messages/decode";
import { missingRequired } from "../messages/required-fields";
import { fits, hasPolicy, pathOf, serviceOf, storedShape, type ResourceKind } from "../services/kind";
import type { StoredResource } from "../state/store";

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
    const ofService = kinds.filter((candidate) => serviceOf(candidate) === seed.service);
    const kind = ofService.find((candidate) => fits(pathOf(candidate), seed.name));
    if (kind === undefined) {
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
  const { value, violations } = decode(storedShape(kind), clone(seed.body), { keepOutputOnly: true });
  problems.push(...violations.map(({ description }) => `${at}.body: ${withoutPrefix(description)}`));
  if (value.name !== undefined && value.name !== seed.name) {
    problems.push(`${at}.body.name: '${textOf(value.name)}' differs from the name of the seed`);
  }
  const body: JsonObject = { ...kind.defaults(seed.name, clock.timestamp()), ...value, name: seed.name };
  if (kind.completeSeeds) {
    problems.push(...missingRequired(storedShape(kind), body).map((field) => `${at}.body.${field}: required`));
  }
  const resource: StoredResource = { service: seed.service, name: seed.name, body };
  if (seed.policy === undefined) {
    return resource;
  }
  if (!hasPolicy(kind)) {
    problems.push(`${at}.policy: resources of ${seed.service} have no access policy`);
    return resource;
  }
  return { ...resource, policy: readPolicy(seed.policy, seed.service, `${at}.policy`, problems) };
}

function readPolicy(input: JsonObject, service: Seed["service"], at: string, problems: string[]): JsonObject {
  const { value, violations } = decode(policyMessage, clone(input));
  problems.push(...violations.map(({ description }) => `${at}: ${withoutPrefix(description)}`));
  const policy = value as Policy;
  try {
    checkPolicy(policy, service, DEFAULT_CONFIG);
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw error;
    }
    problems.push(`${at}: ${error.message}`);
  }
  return { ...(asStored(policy, DEFAULT_CONFIG) as JsonObject), etag: policy.etag ?? newEtag() };
}

function withoutPrefix(description: string): string {
  return description.replace("Invalid JSON payload received. ", "");
}
