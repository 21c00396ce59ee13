import type { ServiceDefinition } from "../../core/definition";
import { ConfigurationError } from "../../core/errors";
import { didYouMean } from "../../core/problem";
import { SERVICES } from "../../core/services";
import { getOrCompute, once } from "../../core/once";
import { nameTemplate, templateShape } from "../../core/reference";
import {
  ANY_NAME,
  nounOf,
  policyKinds,
  policyResource,
  resourcesNamed,
  type PolicyKind,
  type PolicyResource,
} from "../../iam/kinds/kinds";
import { parents } from "../parents";
import type { GrantTargets, PolicyParent } from "../shared/parent";
import { KIND_SETTINGS, type KindSettings } from "./resource-settings";

/** Every resource with an access policy, by its full resource name. */
export const anyResource: GrantTargets = {
  input: "resource",
  alwaysMerges: true,
  forms: ["//{api}.googleapis.com/{name}"],
  find: (name) => {
    const found = policyResource(name);
    return typeof found === "string" ? undefined : placeOf(found);
  },
  inId: (id) => inId(id.trim()),
};

function placeOf(resource: PolicyResource) {
  return { name: resource.fullName, path: resource.path, parent: parentOf(resource) };
}

const found = new Map<string, PolicyParent>();

/** How grants read and change the policy of a resource. Resources of one kind at one host have the same object. */
function parentOf({ kind, path, location }: PolicyResource): PolicyParent {
  const template = templateOf(kind, path);
  const { isRegional } = settingsOf(kind.api, template);
  const host = isRegional && location !== undefined ? hostIn(kind, location) : undefined;
  const key = [kind.api, template, host].join(" ");
  return getOrCompute(found, key, () => ownRow(kind) ?? parentWith(kind, template, host));
}

/** The form of a name. Where a kind has names of any form, a form with settings is like a kind, and so is each other name. */
function templateOf({ api, path: { template } }: PolicyKind, name: string): string {
  if (template !== ANY_NAME) return template;
  const rows = Object.keys(KIND_SETTINGS).filter((key) => key.startsWith(`${api} `));
  const forms = rows.map((key) => nameTemplate(key.slice(api.length + 1)));
  return forms.find((each) => each.parse(name))?.template ?? name;
}

/** The row of a kind whose grants have types of their own: it has the same API, so that both types agree on one policy. */
function ownRow({ api, path }: PolicyKind): PolicyParent | undefined {
  const isSame = (template: string) => templateShape(template) === templateShape(path.template);
  return parents.find((each) => each.service.api === api && isSame(each.template));
}

function settingsOf(api: string, template: string): KindSettings {
  return { ...KIND_SETTINGS[api], ...KIND_SETTINGS[`${api} ${template}`] };
}

/** The prefix of the permissions on a kind of resource, with the dot after it. */
function permissionsOn(api: string, template: string): string {
  const collection = template.split("/").findLast((part) => !part.startsWith("{")) ?? "";
  return `${settingsOf(api, template).permissionPrefix ?? `${api.replace(/admin$/, "")}.${collection}`}.`;
}

const kindsWithPrefix = once(() =>
  policyKinds().map(({ api, path: { template } }) => ({ api, template, prefix: permissionsOn(api, template) })),
);

/** The permissions on the kinds of the same service that are not inside of a resource of this kind. */
function permissionsOnOthers({ api, path: { template } }: PolicyKind, prefix: string): string[] {
  const service = prefix.slice(0, prefix.indexOf(".") + 1);
  const all = kindsWithPrefix().filter((each) => each.prefix.startsWith(service));
  const own = all.filter((each) => each.api === api && `${each.template}/`.startsWith(`${template}/`));
  const counted = new Set(own.map((each) => each.prefix));
  return [...new Set(all.map((each) => each.prefix).filter((each) => !counted.has(each)))];
}

function parentWith(kind: PolicyKind, template: string, host: string | undefined): PolicyParent {
  const { api, form, permissionsIn } = kind;
  const settings = settingsOf(api, template);
  const prefix = permissionsOn(api, template);
  const canTest = permissionsIn !== undefined && settings.permissionPrefix !== null;
  return {
    service: serviceOf(kind, host),
    kind: nounOf(kind),
    form,
    permissionsIn: permissionsIn ?? "body",
    permissions: canTest ? [`${prefix}getIamPolicy`, `${prefix}setIamPolicy`] : [],
    adminRoles: settings.adminRoles ?? [`roles/${api}.admin`],
    above: { permissions: [prefix], otherRoles: [], otherPermissions: permissionsOnOthers(kind, prefix) },
    isNamedInFull: true,
  };
}

const services = new Map<string, ServiceDefinition>();

/** The API of a kind in its newest stable version. Kinds of one API have the same object, and so one client. */
function serviceOf({ api, base }: PolicyKind, host: string | undefined): ServiceDefinition {
  const key = [host ?? api, base].join(" ");
  const own: ServiceDefinition | undefined = Object.values(SERVICES).find((each) => each.api === api);
  return getOrCompute(services, key, () => ({
    module: SERVICES.iam.module,
    title: `${api} API`,
    endpointKeys: [],
    ...own,
    api,
    version: base,
    isPrefixed: true,
    ...(host === undefined ? {} : { host }),
  }));
}

/** @throws ConfigurationError for a key of `endpoints` that is no API: its address would never be used. */
export function refuseUnknownApis(keys: readonly string[]): void {
  const known = [...new Set([...Object.values(SERVICES), ...policyKinds()].map(({ api }) => api))];
  const problems = keys
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: `endpoints.${key}`, reason: `is no API with access policies${didYouMean(key, known)}` }));
  if (problems.length === 0) return;
  const text = problems.map(({ path, reason }) => `perimeter:${path} ${reason}`).join("\n  ");
  throw new ConfigurationError(`The provider's configuration is wrong:\n  ${text}`, problems);
}

/** `us-central1-aiplatform`; undefined for a location without a host of its own. */
function hostIn({ regionalHost }: PolicyKind, location: string): string | undefined {
  return location === "global" ? undefined : regionalHost?.replace("{location}", location);
}

/** Before a role, predefined or custom. In the full name of a project, the parent of a custom role may be the project itself. */
const BEFORE_ROLE = /[/ ](?=(?:(?:projects|organizations)\/[^/ ]+\/)?roles\/)/g;

/**
 * The name at the beginning of the id, up to the first role after which it is one, or else up to a blank: a full name, or one that
 * only one API has, as in the ids of Terraform and of @pulumi/gcp.
 */
function inId(id: string): { name: string; id: string } | undefined {
  const [beforeBlank = ""] = id.split(" ");
  const beforeRoles = [...id.matchAll(BEFORE_ROLE)].map(({ index }) => id.slice(0, index));
  for (const typed of [...beforeRoles, beforeBlank, id]) {
    const [own, ...others] = namedBy(typed);
    if (own && others.length === 0) return { name: own.fullName, id: own.fullName + id.slice(typed.length) };
  }
  return undefined;
}

/**
 * The names that @pulumi/gcp shortens in its ids. A number could also be that of a project, which this package names by its id.
 * Source: the section "Import" of its pages, such as https://www.pulumi.com/registry/packages/gcp/api-docs/projects/iammember/.
 */
const SHORT_NAMES: readonly [form: RegExp, full: string][] = [
  [/^[0-9A-Z]{6}(?:-[0-9A-Z]{6}){2}$/, "//cloudbilling.googleapis.com/billingAccounts/$&"],
  [/^\d+$/, "//cloudresourcemanager.googleapis.com/organizations/$&"],
  [/^(?:[a-z0-9.-]+:)?[a-z][a-z0-9-]+$/, "//cloudresourcemanager.googleapis.com/projects/$&"],
  [/^v1\/(projects\/[^/]+\/locations\/[^/]+\/services\/[^/]+)$/, "//run.googleapis.com/$1"],
];

/** The resources that the beginning of an id can mean. */
function namedBy(typed: string): PolicyResource[] {
  const [form, full] = SHORT_NAMES.find(([each]) => each.test(typed)) ?? [];
  const found = policyResource(form && full ? typed.replace(form, full) : typed);
  return typeof found === "string" ? resourcesNamed(typed) : [found];
}
