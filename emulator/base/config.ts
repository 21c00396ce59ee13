import { z } from "zod";
import { SERVICES } from "./api";
import { isObject } from "./json";
import { InputError, parseInput } from "./input";
import { compilePattern } from "./pattern";

const milliseconds = z.int().min(0);
const service = z.enum(SERVICES);

const denial = z.union([
  z.string().min(1),
  z.strictObject({
    permission: z.string().min(1),
    resource: z.string().min(1).refine(isPattern, "not a regular expression of RE2").optional(),
  }),
]);

function isPattern(source: string): boolean {
  try {
    compilePattern(source);
    return true;
  } catch {
    return false;
  }
}

const unknownMember = z.union([
  z.string().min(1),
  z.strictObject({ member: z.string().min(1), refusals: z.int().min(1).optional() }),
]);

/**
 * Every switch, stated once: its values, its default and what it does. Types are inferred from it.
 *
 * @internal
 */
export const configSchema = z.strictObject({
  /** How long an operation takes, in milliseconds of the emulator's clock. */
  operationMs: milliseconds.default(0),
  /** Refuse API calls without an accepted bearer token (401). */
  requireAuth: z.boolean().default(false),
  /** Accepted besides the tokens issued by the emulator; null accepts every token. */
  tokens: z.array(z.string().min(1)).nullable().default(null),
  /** Lifetime of issued access tokens, in seconds of the emulator's clock. */
  tokenLifetimeSeconds: z.int().min(1).default(3600),
  /** Permissions to deny (403), everywhere or on resources that match a pattern. */
  deny: z.array(denial).default([]),
  /** APIs that are not enabled in any project (403 SERVICE_DISABLED). */
  disabledServices: z.array(service).default([]),
  /** Quota projects (`x-goog-user-project`) that are refused (403 USER_PROJECT_DENIED). */
  deniedUserProjects: z.array(z.string().min(1)).default([]),
  /** Members whose identity does not exist (400), always or for a number of refusals. */
  unknownMembers: z.array(unknownMember).default([]),
  /** Roles that no policy may grant (400). */
  unsupportedRoles: z.array(z.string().min(1)).default([]),
  /** Accept roles that cannot exist, such as `roles/nonsense`. */
  anyRole: z.boolean().default(false),
  /** APIs that refuse conditions in policies (400). */
  conditionsUnsupported: z.array(service).default([]),
  /** Policy writes per minute, project and API; more are answered 429. */
  policyWritesPerMinute: z.partialRecord(service, z.int().min(1)).default({}),
  /** How many policy reads after a write still see the earlier policy. */
  policyLagReads: z.int().min(0).default(0),
  /** A read below version 3 of a policy with conditions: roles renamed, or 400. */
  conditionalReads: z.enum(["renamed", "refused"]).default("renamed"),
  /** Keep auditConfigs unless the update mask names them; false lets every write replace them. */
  honourAuditMask: z.boolean().default(true),
  /** Fields of a newer API, accepted in policies and bindings with any value and kept. */
  newerPolicyFields: z.array(z.string().min(1)).default([]),
  /** Answer policies with bindings and members sorted instead of in the order written. */
  sortPolicies: z.boolean().default(false),
  /** Store e-mail members in lower case. */
  lowercaseMembers: z.boolean().default(false),
  /** Association fields whose change is refused as immutable (400). */
  immutableFields: z
    .array(z.enum(["network", "firewallEndpoint", "tlsInspectionPolicy", "labels", "disabled"]))
    .default([]),
  /** Associations that one endpoint serves; one more is answered 429. */
  associationsPerEndpoint: z.int().min(1).default(50),
  /** Refuse an association outside its endpoint's zone (400). */
  enforceEndpointZone: z.boolean().default(false),
  /** How long a requestId is remembered, in milliseconds of the emulator's clock. */
  requestIdWindowMs: milliseconds.default(60 * 60 * 1000),
  /** What operations.cancel does. */
  cancellation: z.enum(["immediate", "unimplemented"]).default("immediate"),
  /** Projects that answer under their number, too: number to id. Resources are kept, and answered, under the id. */
  projectNumbers: z.record(z.string().regex(/^\d+$/, "a project's number"), z.string().min(1)).default({}),
  /** Answer a project of `projectNumbers` by its number where the cloud does: in an endpoint's associations and networks. */
  numbersInNames: z.boolean().default(false),
});

/** Its inferred type has nothing of zod in a declaration file (`input.ts`). */
export const DEFAULT_CONFIG = configSchema.parse({});

/** All switches with their values. */
export type Config = typeof DEFAULT_CONFIG;

/** Some switches. Those that are left out keep their values. */
export type ConfigPatch = Partial<Config>;

/** The switches after a change. @throws InputError */
export function configure(current: Config, patch: unknown): Config {
  if (patch !== undefined && !isObject(patch)) {
    throw new InputError("configuration", ["it must be a map of switches"]);
  }
  const set = Object.fromEntries(Object.entries(patch ?? {}).filter(([, value]) => value !== undefined));
  return parseInput("configuration", configSchema, { ...current, ...set });
}
