import { z } from "zod";
import { SERVICES } from "./api";
import { isObject } from "./json";
import { InputError, parseInput } from "./input";
import { PatternList } from "./pattern";

/** 31 years: with the latest time to which the clock can be moved, still a date. */
const milliseconds = z.int().min(0).max(1e12);
const service = z.enum(SERVICES);

const permissionEntry = z.union([
  z.string().min(1),
  z.strictObject({
    permission: z.string().min(1),
    resource: z.string().min(1).optional(),
  }),
]);

const permissionList = z.array(permissionEntry).superRefine((entries, { addIssue }) => {
  const patterns = new PatternList();
  for (const [index, entry] of entries.entries()) {
    if (typeof entry === "string" || entry.resource === undefined) continue;
    const isFull = patterns.isFull;
    try {
      patterns.compile(entry.resource);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      addIssue({ code: "custom", message, path: [index, "resource"] });
      // Each further regular expression would have the same mistake.
      if (isFull) break;
    }
  }
});

const unknownMember = z.union([
  z.string().min(1),
  z.strictObject({ member: z.string().min(1), refusals: z.int().min(1).optional() }),
]);

/**
 * The only definition of the switches: values, defaults and descriptions. The types are inferred from it.
 *
 * @internal
 */
export const configSchema = z.strictObject({
  /** The duration of an operation, in milliseconds of the emulator's clock. */
  operationMs: milliseconds.default(0),
  /** Refuse API calls without an accepted bearer token (401). */
  requireAuth: z.boolean().default(false),
  /** Accepted tokens, besides those issued by the emulator; null accepts every token. */
  tokens: z.array(z.string().min(1)).nullable().default(null),
  /** The only permissions of the caller, everywhere or on resources that match a pattern; null gives every permission. */
  allow: permissionList.nullable().default(null),
  /** Permissions to deny (403), everywhere or on resources that match a pattern. */
  deny: permissionList.default([]),
  /** APIs that are not enabled in any project (403 SERVICE_DISABLED). */
  disabledServices: z.array(service).default([]),
  /** Quota projects (`x-goog-user-project`) that are refused (403 USER_PROJECT_DENIED). */
  deniedUserProjects: z.array(z.string().min(1)).default([]),
  /** Members whose identity does not exist (400): permanently, or for a number of refusals. */
  unknownMembers: z.array(unknownMember).default([]),
  /** Roles that no policy may grant (400). */
  unsupportedRoles: z.array(z.string().min(1)).default([]),
  /** Accept roles that cannot exist, such as `roles/nonsense`, and roles that the emulator's list of roles lacks. */
  anyRole: z.boolean().default(false),
  /** Resources that have only an access policy in the emulator exist with any name, with an empty policy. */
  anyResource: z.boolean().default(false),
  /** The limit of policy writes per minute, project and API. Further writes get 429. */
  policyWritesPerMinute: z.partialRecord(service, z.int().min(1)).default({}),
  /** The number of policy reads after a write that still return the earlier policy. */
  policyLagReads: z.int().min(0).default(0),
  /** Fields of a newer API. Policies and bindings may have them with any value, and keep them. */
  newerPolicyFields: z.array(z.string().min(1)).default([]),
  /** Other names of members: an address to the primary one, under which a policy is stored. */
  memberAliases: z.record(z.string().min(1), z.string().min(1)).default({}),
  /** Projects that clients can also address by number: number to id. Names are stored and returned with the id. */
  projectNumbers: z.record(z.string().regex(/^\d+$/, "a project's number"), z.string().min(1)).default({}),

  // Variants of what no document of an API says. They are internal: for the tests that a client works with each of them.
  /** The answer to a read below version 3 of a policy with conditions: renamed roles, or 400. */
  conditionalReads: z.enum(["renamed", "refused"]).default("renamed"),
  /** Return policies with sorted bindings and members instead of the written order. */
  sortPolicies: z.boolean().default(false),
  /** Store e-mail members in lower case. */
  lowercaseMembers: z.boolean().default(false),
  /** Association fields whose change is refused as immutable (400). */
  immutableFields: z
    .array(z.enum(["network", "firewallEndpoint", "tlsInspectionPolicy", "labels", "disabled"]))
    .default([]),
  /** The largest number of associations of an endpoint. The next create gets 429. */
  associationsPerEndpoint: z.int().min(1).default(50),
  /** What operations.cancel does. */
  cancellation: z.enum(["immediate", "unimplemented"]).default("immediate"),
  /**
   * Return the number of a project of `projectNumbers` where the cloud does: in the associations and networks of an endpoint.
   */
  numbersInNames: z.boolean().default(false),
});

/** Its inferred type does not use zod in declaration files, as explained in `input.ts`. */
export const DEFAULT_CONFIG = configSchema.parse({});

/** All switches with their values. */
export type Config = typeof DEFAULT_CONFIG;

/** Some switches. Omitted switches keep their values. */
export type ConfigPatch = Partial<Config>;

/** The switches after a change. @param what names the change in the error @throws InputError */
export function configure(current: Config, patch: unknown, what = "configuration"): Config {
  if (patch !== undefined && !isObject(patch)) {
    throw new InputError(what, ["it must be a map of switches"]);
  }
  const set = Object.fromEntries(Object.entries(patch ?? {}).filter(([, value]) => value !== undefined));
  return parseInput(what, configSchema, { ...current, ...set });
}
