/** Small programs over the TypeScript front, for tests on the real engine. */

/** A resource of a program: its class as a path below the package, its arguments and some of its options. */
export interface Declared {
  type: string;
  args: Record<string, unknown>;
  /** Names of resources that were declared before. */
  dependsOn?: string[];
  deleteBeforeReplace?: boolean;
  protect?: boolean;
  retainOnDelete?: boolean;
  /** Of the plugin only: Pulumi ignores it for the npm package. */
  customTimeouts?: { create?: string; update?: string; delete?: string };
  /** Of the plugin only: it has no effect in the npm package. */
  replaceOnChanges?: string[];
  /** Names that the resource had before. */
  aliases?: { name: string }[];
  /** An explicit provider of the program. Only the plugin has explicit providers. */
  provider?: string;
}

export const PROJECT = "demo-project";
export const ASSOCIATIONS = `projects/${PROJECT}/locations/us-central1-a/firewallEndpointAssociations`;
export const MIGRATION_JOB = `projects/${PROJECT}/locations/us-central1/migrationJobs/orders-to-sql`;
export const FHIR_STORE = `projects/${PROJECT}/locations/us-central1/datasets/clinic/fhirStores/records`;
/** A FHIR store for one scenario of a stack: policies of different stores have nothing to do with each other. */
export const storeOf = (scenario: string): string => FHIR_STORE.replace(/[^/]+$/, scenario);
export const TRIGGER = `projects/${PROJECT}/locations/us-central1/triggers/orders`;
export const GATEWAY = `projects/${PROJECT}/locations/us-central1/gateways/edge`;
export const TOPIC = `projects/${PROJECT}/topics/orders`;
export const SECRET = `projects/${PROJECT}/secrets/orders-password`;
export const BUCKET = "b/demo-project-archive";

export function association(args: Record<string, unknown> = {}): Declared {
  return {
    type: "networksecurity.v1beta1.FirewallEndpointAssociation",
    args: {
      firewallEndpoint: "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
      network: `projects/${PROJECT}/global/networks/prod`,
      location: "us-central1-a",
      firewallEndpointAssociationId: "prod",
      ...args,
    },
  };
}

export function migrationGrant(args: Record<string, unknown> = {}): Declared {
  return {
    type: "datamigration.v1beta1.MigrationJobIamMember",
    args: { name: MIGRATION_JOB, role: "roles/datamigration.admin", member: "group:database@example.com", ...args },
  };
}

export function fhirGrant(args: Record<string, unknown> = {}): Declared {
  return {
    type: "healthcare.v1beta1.DatasetFhirStoreIamMember",
    args: {
      name: FHIR_STORE,
      role: "roles/healthcare.fhirResourceReader",
      member: "group:nurses@example.com",
      ...args,
    },
  };
}

/** Plain JavaScript, which starts at once. */
export const JAVASCRIPT = { name: "nodejs", options: { typescript: false } };

/**
 * A program that declares what its resources.json says, so that the next step of a test is another file. A string that
 * begins with "secret:" becomes a secret without those letters.
 */
export function declaring(resources: Record<string, Declared>): Record<string, string> {
  return { "index.js": DECLARING, ...resourcesFile(resources) };
}

/**
 * The same program for the plugin, in YAML: the next step of a test is another Pulumi.yaml.
 *
 * @param providers the settings of explicit providers, by name
 */
export function declaringInYaml(
  resources: Record<string, Declared>,
  { providers = {}, name = "sample", stack = "test" }: YamlProgram = {},
): Record<string, string> {
  const reference = (to: string) => `\${${to}}`;
  const explicit = Object.entries(providers).map(([each, properties]) => [
    each,
    { type: "pulumi:providers:perimeter", properties },
  ]);
  const declared = Object.entries(resources).map(([each, { type, args, dependsOn, aliases, provider, ...options }]) => {
    const token = tokenOf(type);
    const all = {
      ...options,
      ...(dependsOn && { dependsOn: dependsOn.map(reference) }),
      ...(aliases && { aliases: aliases.map((alias) => `urn:pulumi:${stack}::${name}::${token}::${alias.name}`) }),
      ...(provider !== undefined && { provider: reference(provider) }),
    };
    return [each, { type: token, properties: args, options: all }];
  });
  // JSON is YAML too.
  const all: unknown = Object.fromEntries([...explicit, ...declared]);
  return { "Pulumi.yaml": JSON.stringify({ name, runtime: "yaml", resources: all }) };
}

export interface YamlProgram {
  providers?: Record<string, object>;
  name?: string;
  stack?: string;
}

/** `healthcare.v1beta1.DatasetFhirStoreIamMember` becomes `perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember`. */
export function tokenOf(type: string): string {
  const parts = type.split(".");
  return `perimeter:${parts.slice(0, -1).join("/")}:${parts.at(-1)}`;
}

export function resourcesFile(resources: Record<string, Declared>): Record<string, string> {
  return { "resources.json": JSON.stringify(resources, null, 2) };
}

const DECLARING = `"use strict";
const pulumi = require("@pulumi/pulumi");
const perimeter = require("pulumi-perimeter");

const made = {};
for (const [name, { type, args, dependsOn = [], provider, ...options }] of Object.entries(require("./resources.json"))) {
  const Resource = type.split(".").reduce((module, part) => module[part], perimeter);
  const opts = { ...options, dependsOn: dependsOn.map((other) => made[other]) };
  made[name] = new Resource(name, withSecrets(args), opts);
}

function withSecrets(value) {
  if (typeof value === "string") return value.startsWith("secret:") ? pulumi.secret(value.slice(7)) : value;
  if (Array.isArray(value)) return value.map(withSecrets);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withSecrets(each)]));
}
`;
