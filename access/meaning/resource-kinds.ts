import { nameInId, templateShape, variablesIn } from "../../provider/core/reference";
import { textOf, type Values } from "../../provider/core/unknown";
import { fullNameIn, policyKinds } from "../../provider/iam/kinds/kinds";
import { gcpNameOfId, gcpResourceName } from "./gcp-types";
import { ANY_MEMBER, resourceOfGrant } from "./grant-kinds";
import { nativeKindOf } from "./native-types";
import { RESOURCE_MANAGER } from "../../provider/core/services";

/** The types of other providers whose resources have access policies, or contain others with policies. */

/** A kind of resource of Google Cloud. */
export interface ResourceKind {
  api: string;
  /** `projects/{project}/topics/{topic}`. `{+dataset}` has slashes. */
  template: string;
}

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

/**
 * The full name of a resource of such a type: by its id in the state, by its outputs, or by the properties for the parts of
 * the name. Not every id has them all: the id of a Spanner database is `{instance}/{database}`.
 *
 * @param defaults the project, region and zone of its provider
 * @returns undefined if none of them names it, and for types of other kinds
 */
export function nameOfResource(type: string, state: ResourceState, defaults: Values = {}): string | undefined {
  const kind = resourceKindOf(type);
  if (!kind) return undefined;
  const { id = "", inputs, outputs } = state;
  const values = { ...defaults, ...inputs, ...outputs };
  const names = gcpResourceName(type)
    ? [gcpNameOfId(kind, id, values), byProperties(kind.template, values)]
    : [
        ...[id, outputs.name, outputs.selfLink, inputs.name].map((each) => nameInId(textOf(each))),
        byProperties(kind.template, values),
      ];
  return names
    .flatMap((name) => (name ? fullNameIn(kind.api, name) : []))
    .find((name) => resourceOfGrant(ANY_MEMBER, name) !== undefined);
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
  const parts = new Map(found);
  return template.replaceAll(/\{\+?(\w+)\}/g, (_match, name: string) => parts.get(name) ?? "");
}

/** Whether resources of a kind contain others that have access policies, as a key ring contains keys. */
export function containsPolicies({ api, template }: ResourceKind): boolean {
  // A project and a folder contain resources of every API.
  if (api === RESOURCE_MANAGER.api && /^(projects|folders)\/[^/]+$/.test(template)) return true;
  const shape = templateShape(template);
  return policyKinds().some((each) => each.api === api && templateShape(each.path.template).startsWith(`${shape}/`));
}
