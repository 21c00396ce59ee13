/** Programs of grants, as either front declares them. */
import { missingHost } from "./engine";
import { FHIR_STORE } from "./programs";
import { STORE_GRANT } from "./tokens";

export type Front = "plugin" | "npm";

/** Those that this machine can run: the plugin's programs are in YAML. */
export const FRONTS: Front[] = missingHost("yaml") === undefined ? ["plugin", "npm"] : ["npm"];

/** A grant of a program, for both fronts. */
export interface GrantDeclaration {
  member: string;
  /** @default FHIR_STORE */
  name?: string;
  /** @default "roles/healthcare.fhirResourceReader" */
  role?: string;
  condition?: { title: string; description?: string; expression: string };
  /** What it was called before. */
  alias?: string;
  dependsOn?: string[];
  deleteBeforeReplace?: boolean;
  retainOnDelete?: boolean;
  /** Another grant of the program. */
  deletedWith?: string;
  /** An explicit provider of the program; the plugin's only. */
  provider?: string;
  import?: string;
  /** Id: the program reads this grant, and does not manage one. */
  get?: string;
}

export type Grants = Record<string, GrantDeclaration>;

export const TYPES = {
  plugin: STORE_GRANT,
  npm: "pulumi-nodejs:dynamic/healthcare/v1beta1:DatasetFhirStoreIamMember",
};

/** The files of a program. */
export function programOf(front: Front, grants: Grants, providers: Record<string, object>): Record<string, string> {
  return front === "plugin" ? yamlProgram(grants, providers) : npmProgram(grants);
}

function argsOf({
  member,
  name = FHIR_STORE,
  role = "roles/healthcare.fhirResourceReader",
  condition,
}: GrantDeclaration) {
  return { name, role, member, ...(condition ? { condition } : {}) };
}

function yamlProgram(grants: Grants, providers: Record<string, object>): Record<string, string> {
  const declared = Object.entries(grants).map(([name, grant]) => {
    const { alias, dependsOn, deletedWith, deleteBeforeReplace, retainOnDelete, provider, import: id, get } = grant;
    const options = {
      deleteBeforeReplace,
      retainOnDelete,
      import: id,
      ...(provider === undefined ? {} : { provider: `\${${provider}}` }),
      ...(deletedWith === undefined ? {} : { deletedWith: `\${${deletedWith}}` }),
      ...(dependsOn ? { dependsOn: dependsOn.map((other) => `\${${other}}`) } : {}),
      ...(alias === undefined ? {} : { aliases: [`urn:pulumi:test::p::${TYPES.plugin}::${alias}`] }),
    };
    if (get !== undefined) return [name, { type: TYPES.plugin, get: { id: get }, options }];
    return [name, { type: TYPES.plugin, properties: argsOf(grant), options }];
  });
  const explicit = Object.entries(providers).map(([name, properties]) => [
    name,
    { type: "pulumi:providers:perimeter", properties },
  ]);
  const resources: unknown = Object.fromEntries([...explicit, ...declared]);
  // JSON is YAML too.
  return { "Pulumi.yaml": JSON.stringify({ name: "p", runtime: "yaml", resources }) };
}

function npmProgram(grants: Grants): Record<string, string> {
  const declared = Object.entries(grants).map(([name, grant]) => {
    const { alias, dependsOn = [], deletedWith, deleteBeforeReplace, retainOnDelete, get } = grant;
    const options = {
      deleteBeforeReplace,
      retainOnDelete,
      ...(alias === undefined ? {} : { aliases: [{ name: alias }] }),
    };
    return { name, args: argsOf(grant), dependsOn, deletedWith, options, get };
  });
  return {
    "package.json": JSON.stringify({ name: "p", private: true, main: "index.js" }),
    "index.js": PROGRAM,
    "grants.json": JSON.stringify(declared),
  };
}

const PROGRAM = `"use strict";
const { healthcare } = require("pulumi-perimeter");

const made = {};
const { DatasetFhirStoreIamMember: Grant } = healthcare.v1beta1;
for (const { name, args, dependsOn, deletedWith, options, get } of require("./grants.json")) {
  const all = { ...options, dependsOn: dependsOn.map((other) => made[other]), deletedWith: made[deletedWith] };
  made[name] = get === undefined ? new Grant(name, args, all) : Grant.get(name, get, all);
}
`;
