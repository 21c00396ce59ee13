import { tokenOf, type ResourceDefinition } from "../../provider/core/definition";
import { BugError, InputError } from "../../provider/core/errors";
import { propertyOf } from "../../provider/core/field";
import { quote } from "../../provider/core/problem";
import { nameTemplate, type NameTemplate } from "../../provider/core/reference";
import { containersIn, policyResource, resourcesNamed } from "../../provider/iam/kinds/kinds";
import { resources } from "../../provider/services";
import type { GrantTargets, PolicyParent } from "../../provider/services/shared/parent";

/** A type of grant: it gives a member, or all members of a role, a role on a resource. */
export interface GrantKind {
  token: string;
  definition: ResourceDefinition;
  /** The resources that it can be on. */
  targets: GrantTargets;
  /** The form of the resource's name; undefined for a grant on any resource. */
  template?: NameTemplate;
}

export const GRANT_KINDS: readonly GrantKind[] = resources.flatMap(({ definition, targets }) => {
  if (!targets) return [];
  const [form] = definition.isOfAnyApi ? [] : targets.forms;
  return [{ token: tokenOf(definition), definition, targets, ...(form && { template: nameTemplate(form) }) }];
});

/** The first kind of grant with a type of its own on a resource of this relative name. */
export function grantKindOn(name: string): GrantKind | undefined {
  return GRANT_KINDS.find(({ template }) => template?.parse(name));
}

const byToken = new Map(GRANT_KINDS.map((kind) => [kind.token, kind]));

export function isGrant(token: string): boolean {
  return byToken.has(token);
}

/** Whether it is a grant of one member, and not of all members of a role. */
export function isMemberGrant(token: string): boolean {
  const kind = byToken.get(token);
  return kind !== undefined && propertyOf(kind.definition.inputs, "member") !== undefined;
}

/** @param token of a grant of the provider. */
export function grantKindOf(token: string): GrantKind {
  const kind = byToken.get(token);
  if (!kind) throw new BugError(`${token} is not a grant`);
  return kind;
}

/** A resource with an access policy. */
export interface NamedResource {
  kind: PolicyParent;
  /** The name in the API. */
  path: string;
  /** The name in answers: that in the API, or the full name where it could be of several APIs. */
  resource: string;
}

/** The resource that a grant of this type names; undefined for a text that names none. */
export function resourceOfGrant(token: string, name: string): NamedResource | undefined {
  const found = grantKindOf(token).targets.find(name);
  if (!found) return undefined;
  const { parent, path } = found;
  return { kind: parent, path, resource: parent.isNamedInFull ? found.name : path };
}

/** The containers of a resource, from the nearest outwards. Their names are full where that of the resource is. */
export function containersOf({ kind: { service, isNamedInFull }, path }: NamedResource): NamedResource[] {
  return containersIn(service.api, path).flatMap((container) => {
    const found = resourceOfGrant(ANY_MEMBER, container.fullName);
    return found ? [{ ...found, ...(isNamedInFull ? {} : { resource: found.path }) }] : [];
  });
}

/** A resource as a part of a sentence: `key ring main`, `project demo-project`. */
export function labelOf({ kind: { kind }, path }: NamedResource): string {
  return `${kind.replace(/^an? /, "")} ${path.slice(path.lastIndexOf("/") + 1)}`;
}

/** The type of grant of one member that can be on a resource. */
export function memberGrantOn({ kind, path, resource }: NamedResource): GrantKind {
  const isFor = ({ template }: GrantKind) =>
    kind.isNamedInFull ? template === undefined : template?.parse(path) !== undefined;
  const found = GRANT_KINDS.find((each) => isMemberGrant(each.token) && isFor(each));
  if (!found) throw new BugError(`No type of grant is for ${resource}`);
  return found;
}

/**
 * Finds the resource of a name.
 *
 * @param text full name (`//pubsub.googleapis.com/projects/…`) or URL; or a relative name that one API alone has, or that a kind
 *   has whose grants have a type of their own
 * @throws InputError that lists the valid forms
 */
export function resourceNamed(text: string): NamedResource {
  const isRelative = !text.includes("//");
  const kind = isRelative ? grantKindOn(text) : undefined;
  const own = kind && resourceOfGrant(kind.token, text);
  if (own) return own;
  // A relative name of one API alone has one meaning.
  const [only, another] = isRelative ? resourcesNamed(text) : [];
  const found = only !== undefined && another === undefined ? only : policyResource(text);
  const resource = typeof found === "string" ? undefined : resourceOfGrant(ANY_MEMBER, found.fullName);
  if (resource) return resource;
  const reason = typeof found === "string" ? found : "names no resource";
  throw new InputError("No resource with an access policy has this name", [
    {
      path: "RESOURCE",
      reason: `${reason}${isRelative ? `, or the name of ${forms()}` : ""}; got ${quote(text)}`,
    },
  ]);
}

/** The grant of one member on any resource. */
export const ANY_MEMBER =
  GRANT_KINDS.find(({ token, template }) => template === undefined && isMemberGrant(token))?.token ?? "";

/** The kind of resource of a type of grant, with its article: "a FHIR store". */
export function kindNamed({ template, targets }: GrantKind): string {
  return (template && targets.find(template.template.replaceAll(/\{(\w+)\}/g, "$1"))?.parent.kind) ?? "a resource";
}

function forms(): string {
  const all = GRANT_KINDS.flatMap((each) => (each.template ? [`${kindNamed(each)} (${each.template.template})`] : []));
  return [...new Set(all)].join(", ");
}
