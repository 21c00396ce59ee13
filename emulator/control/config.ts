import { z } from "zod";
import { parseInput } from "./input";
import { compilePattern } from "./pattern";

/** The six APIs by the first label of their host names, which is also their name in seeds. */
export const SERVICES = ["gkehub", "eventarc", "apigateway", "networksecurity", "datamigration", "healthcare"] as const;

export type Service = (typeof SERVICES)[number];

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

/** Every switch, all optional: the argument of `startEmulator` and of `PUT /_emulator/config`. */
export const configSchema = z
  .strictObject({
    operationMs: milliseconds,
    requireAuth: z.boolean(),
    tokens: z.array(z.string().min(1)).nullable(),
    tokenLifetimeSeconds: z.int().min(1),
    deny: z.array(denial),
    disabledServices: z.array(service),
    deniedUserProjects: z.array(z.string().min(1)),
    unknownMembers: z.array(unknownMember),
    unsupportedRoles: z.array(z.string().min(1)),
    anyRole: z.boolean(),
    conditionsUnsupported: z.array(service),
    policyWritesPerMinute: z.partialRecord(service, z.int().min(1)),
    policyLagReads: z.int().min(0),
    conditionalReads: z.enum(["renamed", "refused"]),
    honourAuditMask: z.boolean(),
    newerPolicyFields: z.array(z.string().min(1)),
    sortPolicies: z.boolean(),
    lowercaseMembers: z.boolean(),
    immutableFields: z.array(z.enum(["network", "firewallEndpoint", "tlsInspectionPolicy", "labels", "disabled"])),
    associationsPerEndpoint: z.int().min(1),
    enforceEndpointZone: z.boolean(),
    requestIdWindowMs: milliseconds,
    cancellation: z.enum(["immediate", "unimplemented"]),
    projectNumbers: z.record(z.string().regex(/^\d+$/, "a project's number"), z.string().min(1)),
  })
  .partial();

/** Some switches. Those that are left out keep their values. */
export type ConfigPatch = z.input<typeof configSchema>;

/** All switches with their values. */
export interface Config {
  /** How long an operation takes, in milliseconds of the emulator's clock. @default 0 */
  operationMs: number;
  /** Refuse API calls without an accepted bearer token (401). @default false */
  requireAuth: boolean;
  /** Accepted besides the tokens issued by the emulator; null accepts every token. @default null */
  tokens: string[] | null;
  /** Lifetime of issued access tokens, in seconds of the emulator's clock. @default 3600 */
  tokenLifetimeSeconds: number;
  /** Permissions to deny (403), everywhere or on resources that match a pattern. @default [] */
  deny: Array<string | { permission: string; resource?: string }>;
  /** APIs that are not enabled in any project (403 SERVICE_DISABLED). @default [] */
  disabledServices: Service[];
  /** Quota projects (`x-goog-user-project`) that are refused (403 USER_PROJECT_DENIED). @default [] */
  deniedUserProjects: string[];
  /** Members whose identity does not exist (400), always or for a number of refusals. @default [] */
  unknownMembers: Array<string | { member: string; refusals?: number }>;
  /** Roles that no policy may grant (400). @default [] */
  unsupportedRoles: string[];
  /** Accept roles that cannot exist, such as `roles/nonsense`. @default false */
  anyRole: boolean;
  /** APIs that refuse conditions in policies (400). @default [] */
  conditionsUnsupported: Service[];
  /** Policy writes per minute, project and API; more are answered 429. @default {} (no limit) */
  policyWritesPerMinute: Partial<Record<Service, number>>;
  /** How many policy reads after a write still see the earlier policy. @default 0 */
  policyLagReads: number;
  /** A read below version 3 of a policy with conditions: roles renamed, or 400. @default "renamed" */
  conditionalReads: "renamed" | "refused";
  /** Keep auditConfigs unless the update mask names them; false lets every write replace them. @default true */
  honourAuditMask: boolean;
  /** Fields of a newer API, accepted in policies and bindings with any value and kept. @default [] */
  newerPolicyFields: string[];
  /** Answer policies with bindings and members sorted instead of in the order written. @default false */
  sortPolicies: boolean;
  /** Store e-mail members in lower case. @default false */
  lowercaseMembers: boolean;
  /** Association fields whose change is refused as immutable (400). @default [] */
  immutableFields: Array<"network" | "firewallEndpoint" | "tlsInspectionPolicy" | "labels" | "disabled">;
  /** Associations that one endpoint serves; one more is answered 429. @default 50 */
  associationsPerEndpoint: number;
  /** Refuse an association outside its endpoint's zone (400). @default false */
  enforceEndpointZone: boolean;
  /** How long a requestId is remembered, in milliseconds of the emulator's clock. @default 3600000 */
  requestIdWindowMs: number;
  /** What operations.cancel does. @default "immediate" */
  cancellation: "immediate" | "unimplemented";
  /** Projects that answer under their number, too: number to id. Resources are kept, and answered, under the id. @default {} */
  projectNumbers: Record<string, string>;
}

export const DEFAULT_CONFIG: Config = {
  operationMs: 0,
  requireAuth: false,
  tokens: null,
  tokenLifetimeSeconds: 3600,
  deny: [],
  disabledServices: [],
  deniedUserProjects: [],
  unknownMembers: [],
  unsupportedRoles: [],
  anyRole: false,
  conditionsUnsupported: [],
  policyWritesPerMinute: {},
  policyLagReads: 0,
  conditionalReads: "renamed",
  honourAuditMask: true,
  newerPolicyFields: [],
  sortPolicies: false,
  lowercaseMembers: false,
  immutableFields: [],
  associationsPerEndpoint: 50,
  enforceEndpointZone: false,
  requestIdWindowMs: 60 * 60 * 1000,
  cancellation: "immediate",
  projectNumbers: {},
};

/** The switches after a change. @throws InputError */
export function configure(current: Config, patch: unknown): Config {
  const given = parseInput("configuration", configSchema, patch ?? {});
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...current, ...set };
}
