/** Programs of grants, as either front declares them. */
import { missingHost } from "./engine";
import { association, FHIR_STORE } from "./programs";
import { ASSOCIATION, STORE_GRANT } from "./tokens";

export type Front = "plugin" | "npm";

/** Those that this machine can run: the plugin's programs are in YAML. */
export const FRONTS: Front[] = missingHost("yaml") === undefined ? ["plugin", "npm"] : ["npm"];

/** A grant of a program, for both fronts. */
export interface GrantDeclaration {
  /** Begins with `secret:` where it is one; `unknown` is the output of a resource that is yet to be made. */
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

/** The resource whose output is an unknown member. */
const UNKNOWN_SOURCE = association().args;

/** The files of a program. @param more of a program in YAML */
export function programOf(
  front: Front,
  grants: Grants,
  providers: Record<string, object>,
  more: object = {},
): Record<string, string> {
  return front === "plugin" ? yamlProgram(grants, providers, more) : npmProgram(grants);
}

function argsOf({
  member,
  name = FHIR_STORE,
  role = "roles/healthcare.fhirResourceReader",
  condition,
}: GrantDeclaration) {
  return { name, role, member, ...(condition ? { condition } : {}) };
}

function yamlProgram(grants: Grants, providers: Record<string, object>, more: object): Record<string, string> {
  const declared = Object.entries(grants).map(([name, grant]) => {
    const {
      alias,
      dependsOn,
      deletedWith,
      deleteBeforeReplace,
      retainOnDelete,
      provider,
      import: id,
      get,
      member,
    } = grant;
    const secret = member.startsWith("secret:") ? { "fn::secret": member.slice(7) } : undefined;
    const shown = member === "unknown" ? "group:${source.state}@example.com" : (secret ?? member);
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
    return [name, { type: TYPES.plugin, properties: { ...argsOf(grant), member: shown }, options }];
  });
  const explicit = Object.entries(providers).map(([name, properties]) => [
    name,
    { type: "pulumi:providers:perimeter", properties },
  ]);
  const hasUnknown = Object.values(grants).some(({ member }) => member === "unknown");
  const source = {
    type: ASSOCIATION,
    properties: UNKNOWN_SOURCE,
  };
  const resources: unknown = Object.fromEntries([
    ...explicit,
    ...(hasUnknown ? [["source", source]] : []),
    ...declared,
  ]);
  // JSON is YAML too.
  return { "Pulumi.yaml": JSON.stringify({ name: "p", runtime: "yaml", resources, ...more }) };
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
    "grants.json": JSON.stringify({ declared, source: UNKNOWN_SOURCE }),
  };
}

const PROGRAM = `"use strict";
const pulumi = require("@pulumi/pulumi");
const { healthcare, networksecurity } = require("pulumi-perimeter");
const { declared, source } = require("./grants.json");

let state;
const unknown = () => {
  state ??= new networksecurity.v1beta1.FirewallEndpointAssociation("source", source).state;
  return pulumi.interpolate\`group:\${state}@example.com\`;
};
const valueOf = (member) =>
  member === "unknown" ? unknown() : member.startsWith("secret:") ? pulumi.secret(member.slice(7)) : member;

const made = {};
const { DatasetFhirStoreIamMember: Grant } = healthcare.v1beta1;
for (const { name, args, dependsOn, deletedWith, options, get } of declared) {
  const all = { ...options, dependsOn: dependsOn.map((other) => made[other]), deletedWith: made[deletedWith] };
  const values = () => ({ ...args, member: valueOf(args.member) });
  made[name] = get === undefined ? new Grant(name, values(), all) : Grant.get(name, get, all);
}
`;
