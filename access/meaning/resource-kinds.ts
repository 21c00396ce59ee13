import { nameInId, templateShape, variablesIn } from "../../provider/core/reference";
import { getOrCompute, once } from "../../provider/core/once";
import { isRecord, textOf, type Values } from "../../provider/core/unknown";
import { fullNameIn, policyKinds, type PolicyKind } from "../../provider/iam/kinds/kinds";
import { filled, gcpNameOfId, gcpResourceName, type ResourceKind } from "./gcp-types";
import { ANY_MEMBER, resourceOfGrant } from "./grant-kinds";
import { isOfOtherProvider, isView } from "../result/packages";
import { capitalized } from "../result/visible";
import { isTypeOfApi } from "./api-names";
import { RESOURCE_MANAGER } from "../../provider/core/services";

/** The types of other providers whose resources have access policies, or contain others with policies. */

/** What a state has of a resource. */
export interface ResourceState {
  id?: string;
  inputs: Values;
  outputs: Values;
}

/** The kind of a resource by its type of `@pulumi/gcp`, of Google's Terraform provider or of google-native. */
export function resourceKindOf(type: string): ResourceKind | undefined {
  const native = nativeKindOf(type);
  return gcpResourceName(type) ?? (native && { api: native.api, template: native.path.template });
}

/** Parts of a name that google-native's types leave out: `TopicIamMember` for `projects/{project}/topics/{topic}`. */
const PLACES = ["project", "location", "region", "zone"];

/**
 * The kind of a type of resource of google-native: `google-native:pubsub/v1:Topic`. The types of resources have the name of the
 * last collection alone, those of grants have all: `spanner/v1:Database`, and `spanner/v1:InstanceDatabaseIamMember`.
 */
function nativeKindOf(type: string): PolicyKind | undefined {
  const [, api, resource] = /^google-native:([^/:]+)\/[^/:]+:(\w+)$/.exec(type) ?? [];
  const ofApi = policyKinds().filter((each) => each.api === api);
  const isNamed = ({ path: { template } }: PolicyKind) => capitalized(variablesIn(template).at(-1) ?? "") === resource;
  return nativeKindNamed(api, resource) ?? ofApi.find(isNamed);
}

/** The kind whose grants have this name in front: `DatasetFhirStore` of `DatasetFhirStoreIamMember`. */
export function nativeKindNamed(api: string | undefined, resource: string | undefined): PolicyKind | undefined {
  return api === undefined
    ? undefined
    : policyKinds().find((each) => each.api === api && nativeNameOf(each) === resource);
}

/** `DatasetFhirStore` for `projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStore}`. */
function nativeNameOf({ path: { template } }: PolicyKind): string {
  const variables = variablesIn(template);
  const own = variables.filter((name) => !PLACES.includes(name));
  return (own.length > 0 ? own : variables).map(capitalized).join("");
}

/**
 * The kind and the full name of a resource. Its type says the kind. Where no row has the type, its API and the name in its state do, if
 * that has the form of a resource with a policy or with others in it that have one: log buckets contain views.
 *
 * @param defaults the project, region and zone of its provider
 * @returns undefined for resources of other kinds; without a name if nothing names it
 */
export function resourceIn(
  type: string,
  state: ResourceState,
  defaults: Values = {},
): { kind: ResourceKind; name?: string } | undefined {
  const { id = "", inputs, outputs } = state;
  const written = [id, outputs.name, outputs.selfLink, inputs.name].map((each) => nameInId(textOf(each)));
  const values = { ...defaults, ...partsOf(inputs), ...partsOf(outputs) };
  const nameAs = (kind: ResourceKind) =>
    [...(gcpResourceName(type) ? [gcpNameOfId(kind, id, values)] : written), byProperties(kind.template, values)]
      .flatMap((each) => (each ? fullNameIn(kind.api, each) : []))
      .find((each) => resourceOfGrant(ANY_MEMBER, each) !== undefined || isNameOf(kind, each));
  const ofType = resourceKindOf(type);
  const name = ofType && nameAs(ofType);
  if (ofType && name !== undefined) return { kind: ofType, name };
  const kind = kindOfNames(type, written);
  const named = kind && nameAs(kind);
  if (kind && named !== undefined) return { kind, name: named };
  return ofType && { kind: ofType };
}

/** The kinds with a policy, and what contains them, by API. */
const byApi = once(() => {
  const found = new Map<string, Map<string, ResourceKind>>();
  for (const { api, path } of policyKinds()) {
    const segments = path.template.split("/");
    const prefixes = segments.map((_segment, at) => segments.slice(0, at + 1).join("/"));
    const kinds = getOrCompute(found, api, () => new Map<string, ResourceKind>());
    for (const template of prefixes) if (isOfResource(template)) kinds.set(templateShape(template), { api, template });
  }
  return found;
});

/** Not a place, such as `projects/{project}/locations/{location}`, and not a name of any form, such as `{+resource}`. */
function isOfResource(template: string): boolean {
  return /\{\w+\}$/.test(template) && !/\{(project|location|region|zone)\}$/.test(template) && /^\w/.test(template);
}

/** Of the APIs that the name of a type fits. */
const byType = new Map<string, readonly ResourceKind[]>();

function kindOfNames(type: string, names: readonly string[]): ResourceKind | undefined {
  if (!isOfOtherProvider(type) && !isView(type)) return undefined;
  const named = names.filter((name) => name.includes("/"));
  if (named.length === 0) return undefined;
  const kinds = getOrCompute(byType, type, () =>
    [...byApi()].flatMap(([api, all]) => (isTypeOfApi(type, api) ? [...all.values()] : [])),
  );
  return kinds.find((kind) => named.some((name) => isNameOf(kind, fullNameIn(kind.api, name))));
}

function isNameOf({ api, template }: ResourceKind, fullName: string): boolean {
  const parts = fullName.slice(fullNameIn(api, "").length).split("/");
  const own = template.split("/");
  return parts.length === own.length && own.every((part, at) => part.startsWith("{") || part === parts[at]);
}

/** With the parts of a reference beside the properties: `datasetReference: { projectId, datasetId }` of google-native. */
export function partsOf(values: Values): Values {
  const parts = Object.entries(values).flatMap(([name, value]) =>
    name.endsWith("Reference") && isRecord(value) ? Object.entries(value) : [],
  );
  return {
    ...Object.fromEntries(parts.map(([name, value]) => [name === "projectId" ? "project" : name, value])),
    ...values,
  };
}

/** The last part of the name is the resource's own `name` or its id, such as `secretId`; the others have inputs of their names. */
function byProperties(template: string, values: Values): string | undefined {
  const variables = variablesIn(template);
  const own = variables.at(-1) ?? "";
  const found = variables.map((name): [string, string] => {
    const value = [...(name === own ? ["name"] : []), name, `${name}Id`, name.replace(/(Id|Name)$/, "")]
      .map((each) => textOf(values[each]).replace(/\/$/, ""))
      .find((each) => each !== "");
    return [name, template.includes(`{+${name}}`) ? nameInId(value ?? "") : (value?.split("/").at(-1) ?? "")];
  });
  if (found.some(([, value]) => value === "")) return undefined;
  return filled(template, Object.fromEntries(found));
}

/** Whether a resource is a service account. */
export function isServiceAccount(kind: ResourceKind | undefined): boolean {
  return templateShape(kind?.template ?? "") === "projects/{}/serviceAccounts/{}";
}

/** Whether resources of a kind contain others that have access policies, as a key ring contains keys. */
export function containsPolicies({ api, template }: ResourceKind): boolean {
  // A project and a folder contain resources of every API.
  if (api === RESOURCE_MANAGER.api && /^(projects|folders)\/[^/]+$/.test(template)) return true;
  const shape = templateShape(template);
  return policyKinds().some((each) => each.api === api && templateShape(each.path.template).startsWith(`${shape}/`));
}
