import { once } from "../../provider/core/once";
import { variablesIn } from "../../provider/core/reference";
import { filterProperties, textOf, type Values } from "../../provider/core/unknown";
import { fullNameIn } from "../../provider/iam/kinds/kinds";
import { GCP_GRANTS } from "./generated/gcp-types";
import { connectorKindIn, isBridged, viewIn } from "../result/packages";

/** What a grant of `@pulumi/gcp` owns: a member of a role, all members of a role, or the whole policy. */
export type GrantForm = "member" | "binding" | "policy";

/** A kind of resource of Google Cloud. */
export interface ResourceKind {
  /** `pubsub` */
  api: string;
  /** `projects/{project}/topics/{topic}`. `{+dataset}` has slashes. */
  template: string;
}

/** How types of `@pulumi/gcp` name a resource with an access policy: the inputs are in braces. */
export interface GcpResourceName extends ResourceKind {
  /** Whether the provider's grants read the access policy in version 3, with its conditions. The others do not see them. */
  readsConditions?: boolean;
}

/** By the module and the name of the types, such as `pubsub/topic`. The table is read at the first call. */
const namesByType = once(
  () =>
    new Map(
      GCP_GRANTS.trim()
        .split("\n")
        .map((line): [string, GcpResourceName] => {
          const [name = "", api = "", template = "", conditions] = line.split(" ");
          return [name, { api, template, ...(conditions && { readsConditions: true }) }];
        }),
    ),
);

/** The modules and names of the resources that have grants: `pubsub/topic`, `projects/`. */
export function gcpResourceKeys(): string[] {
  return [...namesByType().keys()];
}

/** `gcp:pubsub/topicIAMMember:TopicIAMMember`: the module, the kind of resource, the form. */
const GRANT_TYPE = /^gcp:(\w+)\/(\w*?)i(?:am|AM)(Member|Binding|Policy):\w+$/i;
/** The types of resources whose grants have another name. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  "bigquery/table": "bigquery/",
  "cloudrun/service": "cloudrun/",
  "dns/managedZone": "dns/dnsManagedZone",
  "organizations/folder": "folder/",
  "organizations/project": "projects/",
  "serviceaccount/account": "serviceaccount/",
};

/** The resource of the types of a module whose name is that of the grant alone: `table` for `gcp:bigquery/iamMember:IamMember`. */
export function resourceOfModule(module: string): string | undefined {
  const own = Object.entries(OWN_NAMES).find(([, grants]) => grants === `${module}/`);
  return own?.[0].split("/")[1];
}

/** A type of `@pulumi/gcp` that grants access on a kind of resource that a review follows; undefined for all other types. */
export function gcpGrantOf(type: string): { form: GrantForm; name: GcpResourceName } | undefined {
  const [, module, stem, form = ""] = GRANT_TYPE.exec(type) ?? [];
  const name = namesByType().get(`${module}/${stem}`);
  return name && { form: form.toLowerCase() as GrantForm, name };
}

/** Types of Google's Terraform provider that have another name than the module and the name of `@pulumi/gcp` together. */
const BRIDGED_NAMES: Readonly<Record<string, string>> = {
  "essentialcontacts/documentaiwarehouselocation": "documentaiwarehouselocation",
  "healthcare/hl7store": "healthcarehl7v2store",
  "organizations/folder": "folder",
  "organizations/project": "project",
  "projects/apikey": "apikeyskey",
  "securitycenter/source": "sccsource",
  "securitycenter/v2organizationsource": "sccv2organizationsource",
  "serviceaccount/account": "serviceaccount",
};

/**
 * The name of a type in Google's Terraform provider, in lower case: it joins the service and the name.
 *
 * @param key module and name in `@pulumi/gcp`: `pubsub/topic` is `pubsubtopic`, `projects/IAMCustomRole` is `projectiamcustomrole`
 */
export function bridgedNameOf(key: string): string {
  const name = key.toLowerCase();
  const joined = name.replace(/^(project|organization)s\//, "$1/").replace("certificateauthority/", "privateca/");
  return BRIDGED_NAMES[name] ?? joined.replace("/", "");
}

const namesByBridgedType = once(() => {
  const keys = [...namesByType().keys(), ...Object.keys(OWN_NAMES)];
  return new Map(keys.map((key) => [bridgedNameOf(key), namesByType().get(OWN_NAMES[key] ?? key)]));
});

/**
 * How a type of resource of `@pulumi/gcp`, or of Google's Terraform provider, is named; undefined for kinds without an access
 * policy.
 */
export function gcpResourceName(type: string): GcpResourceName | undefined {
  const bridged =
    viewIn(type)?.slice("google".length).replaceAll("_", "") ??
    (isBridged(type) ? type.split(":").at(-1) : connectorKindIn(type));
  if (bridged !== undefined) return namesByBridgedType().get(bridged.toLowerCase());
  const [, key = ""] = /^gcp:(\w+\/\w+):\w+$/.exec(type) ?? [];
  return namesByType().get(OWN_NAMES[key] ?? key);
}

/**
 * The name of a resource of `@pulumi/gcp` by its id in the state: the whole name, or its variable parts alone.
 *
 * @param values for the first parts, where the id lacks them
 */
export function gcpNameOfId(
  { template }: Pick<GcpResourceName, "template">,
  id: string,
  values: Values,
): string | undefined {
  const variables = variableValues(template, id, values);
  return variables && filled(template, variables);
}

/**
 * The full name of the resource that a grant is on: by its id in the state, or else by its inputs.
 *
 * @param defaults the project, region and zone of the provider.
 * @returns undefined when neither names it.
 */
export function gcpGrantResource(
  name: GcpResourceName,
  { id = "" }: { id?: string },
  values: Values,
  defaults: Values,
): string | undefined {
  const inId = resourceInGrantId(id);
  const variables = variableValues(name.template, inId, {}) ?? variablesOf(name.template, values, defaults);
  return variables && fullNameIn(name.api, filled(name.template, variables));
}

/**
 * The same for a grant of Google's Terraform provider, or of a view of one of its modules.
 *
 * @returns undefined for all other types, too
 */
export function bridgedGrantResource(
  type: string,
  state: { id?: string },
  values: Values,
  defaults: Values,
): string | undefined {
  const ofResource = type.replace(/_?iam_?(member|binding|policy)$/i, "");
  const name = ofResource === type ? undefined : gcpResourceName(ofResource);
  return name && gcpGrantResource(name, state, values, defaults);
}

/**
 * The name of the resource in the id of a grant, as the provider writes it and takes it for an import: `acme/i` for an instance of
 * Spanner, `acme` for a project, `projects/acme/topics/t`.
 */
export function resourceInGrantId(id: string): string {
  const [name = ""] = id.split(/\/(?:(?:projects|organizations)\/[^/]+\/)?roles\//);
  return nameIn(name);
}

/** The inputs that name the resource of a grant. */
export function namingInputs({ template }: GcpResourceName): string[] {
  return variablesIn(template);
}

/** A template with the values of its variables. */
export function filled(template: string, variables: Record<string, string>): string {
  return template.replaceAll(/\{\+?(\w+)\}/g, (_match, name: string) => variables[name] ?? "");
}

/** An input can hold the whole name up to its own part, in any of the forms that the provider accepts for an import. */
function variablesOf(template: string, values: Values, defaults: Values): Record<string, string> | undefined {
  const given: Values = {
    ...defaults,
    location: textOf(defaults.region) || textOf(defaults.zone).replace(/-[a-z]$/, ""),
    ...filterProperties(values, (_name, value) => textOf(value) !== ""),
  };
  const all = variablesIn(template);
  const found: Record<string, string> = {};
  for (const name of all.toReversed()) {
    const value = textOf(given[name]);
    const isWhole = template.includes(`{+${name}}`);
    if (isWhole && value !== "") found[name] ??= nameIn(value);
    else if (value !== "") {
      const upTo = template.slice(0, template.indexOf(`{${name}}`) + name.length + 2);
      const within = variableValues(upTo, value, given);
      for (const [part, text] of Object.entries(within ?? {})) found[part] ??= text;
    }
  }
  return all.every((name) => found[name] !== undefined) ? found : undefined;
}

/**
 * The variables of a name in one of its forms: the whole name, its values alone (`{project}/{location}/…`), or the last of these
 * values, with defaults for the others.
 */
function variableValues(template: string, text: string, defaults: Values): Record<string, string> | undefined {
  const name = nameIn(text);
  if (name === "") return undefined;
  const whole = patternOf(template).exec(name)?.groups;
  if (whole) return { ...whole };
  const variables = variablesIn(template);
  const parts = name.split("/");
  const [first = "", last = ""] = variables;
  const [bucket = "", ...folder] = parts;
  // The id of a managed folder is `bucket/a/folder/`. No bucket has the name `b`.
  if (template.endsWith(`{+${last}}`) && bucket !== "b" && (folder[0] ?? "") !== "") {
    return { [first]: bucket, [last]: folder.join("/") };
  }
  // Of a name within another, only the last part is taken.
  if (template.includes("{+")) return parts.length === 1 ? { [variables.at(-1) ?? ""]: name } : undefined;
  if (parts.length > variables.length) return undefined;
  const missing = variables.slice(0, variables.length - parts.length);
  const values = [...missing.map((each) => textOf(defaults[each])), ...parts];
  if (values.includes("")) return undefined;
  return Object.fromEntries(variables.map((each, at) => [each, nameIn(values[at] ?? "").replace(/^.*\//s, "")]));
}

/** Without the host and the version that a URL or an id has in front: `v1/projects/…`. */
function nameIn(text: string): string {
  return text
    .trim()
    .replace(/^(?:https?:)?\/\/[^/]+\//, "")
    .replace(/^(?:compute\/)?(?:v\d\w*|alpha|beta)\/(?=projects\/|locations\/|organizations\/)/, "");
}

function patternOf(template: string): RegExp {
  const source = template.replaceAll(/\{(\+?)(\w+)\}/g, (_match, plus: string, name: string) =>
    plus === "" ? `(?<${name}>[^/]+)` : `(?<${name}>.+)`,
  );
  return new RegExp(`^${source}$`);
}
