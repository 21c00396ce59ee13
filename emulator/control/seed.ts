import { parse } from "yaml";
import { z } from "zod";
import type { Clock } from "../state/clock";
import { DEFAULT_CONFIG, InputError, parseInput, SERVICES } from "./config";
import type { Kind } from "../context";
import { ApiError } from "../http/errors";
import { policyMessage, type Policy } from "../iam/messages";
import { checkPolicy, newEtag, storable } from "../iam/policy";
import { clone, textOf, type JsonObject } from "../messages/json";
import { decode, missingRequired } from "../messages/schema";
import type { StoredResource } from "../state/store";

/** A resource to be held from the start, and its access policy, both in wire form. */
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

/** Thousands of open brackets exhaust the memory of the YAML parser's regular expressions, which ends the process. */
const MAX_FLOW_DEPTH = 200;

function flowDepth(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of source) {
    if (character === "[" || character === "{") {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (character === "]" || character === "}") {
      depth -= 1;
    }
  }
  return deepest;
}

/** Reads a seed or fault file: YAML, of which JSON is a part. @throws InputError */
export function parseText(what: string, source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    // Not JSON: YAML, or a mistake that the YAML parser describes better.
  }
  if (flowDepth(source) > MAX_FLOW_DEPTH) {
    throw new InputError(what, [`brackets are nested more than ${MAX_FLOW_DEPTH} deep`]);
  }
  try {
    return parse(source);
  } catch (error) {
    throw new InputError(what, [error instanceof Error ? error.message : String(error)]);
  }
}

/**
 * Checks a whole list and returns the resources to store; nothing is returned if anything is wrong.
 *
 * @throws InputError with every finding and its place in the list
 */
export function readSeeds(input: unknown, kinds: readonly Kind[], clock: Clock): StoredResource[] {
  const seeds = parseInput("seed", seedSchema, input ?? []);
  const problems: string[] = [];
  const resources = seeds.map((seed, index) => {
    const kind = kinds.find((candidate) => candidate.service === seed.service);
    if (kind === undefined || !fits(kind.path, seed.name)) {
      problems.push(`[${index}].name: '${seed.name}' is not of the form ${kind?.path}`);
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

function fits(path: string, name: string): boolean {
  const expected = path.split("/");
  const given = name.split("/");
  return (
    expected.length === given.length &&
    expected.every((segment, index) => (segment.startsWith("{") ? given[index] !== "" : segment === given[index]))
  );
}

function read(seed: ParsedSeed, kind: Kind, clock: Clock, at: string, problems: string[]): StoredResource {
  const { value, violations } = decode(kind.message, clone(seed.body), { keepOutputOnly: true });
  problems.push(...violations.map(({ description }) => `${at}.body: ${withoutPrefix(description)}`));
  if (value.name !== undefined && value.name !== seed.name) {
    problems.push(`${at}.body.name: '${textOf(value.name)}' differs from the name of the seed`);
  }
  const body: JsonObject = { ...kind.defaults(seed.name, clock.timestamp()), ...value, name: seed.name };
  if (kind.complete) {
    problems.push(...missingRequired(kind.message, body).map((field) => `${at}.body.${field}: required`));
  }
  const resource: StoredResource = { service: seed.service, name: seed.name, body };
  if (seed.policy === undefined) {
    return resource;
  }
  if (!kind.policy) {
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
  return { ...(storable(policy, DEFAULT_CONFIG) as JsonObject), etag: policy.etag ?? newEtag() };
}

function withoutPrefix(description: string): string {
  return description.replace("Invalid JSON payload received. ", "");
}
