import { tokenOf, type ResourceDefinition } from "../../provider/core/definition";
import { BugError, InputError } from "../../provider/core/errors";
import { findMeta, propertyOf } from "../../provider/core/field";
import { quote } from "../../provider/core/problem";
import { hostIn, normalName, type NameTemplate, type ReferenceKind } from "../../provider/core/reference";
import { resources } from "../../provider/services";

/** A grant of the provider: a type of resource that gives a member, or all members of a role, a role on a resource. */
export interface GrantKind {
  token: string;
  definition: ResourceDefinition;
  /** The kind of resource that it is on. */
  reference: ReferenceKind;
  /** The first form of the resource's name, to be filled with its parts. */
  template: NameTemplate;
}

export const GRANT_KINDS: readonly GrantKind[] = resources.flatMap(({ definition }) => {
  const [name, role, member, members] = ["name", "role", "member", "members"].map((input) =>
    propertyOf(definition.inputs, input),
  );
  const reference = name && role && (member ?? members) && findMeta(name)?.reference;
  const template = reference?.templates[0];
  return reference && template ? [{ token: tokenOf(definition), definition, reference, template }] : [];
});

/** The first kind of grant on a resource of this relative name. */
export function grantKindOn(name: string): GrantKind | undefined {
  return GRANT_KINDS.find(({ reference }) => reference.templates.some((each) => each.parse(name)));
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

/** The name of the resource of the same API that contains this one. */
export function containerOf(name: string): string {
  return name.split("/").slice(0, -2).join("/");
}

/** A resource with an access policy, and the kind of grant that is on it. */
export interface NamedResource extends GrantKind {
  /** Relative name. */
  name: string;
}

/**
 * Finds the resource of a name.
 *
 * @param text relative name, full name (`//healthcare.googleapis.com/projects/…`) or URL
 * @throws InputError that lists the valid forms
 */
export function resourceNamed(text: string): NamedResource {
  const name = normalName(text);
  const kind = grantKindOn(name);
  if (!kind) throw notNamed(`must be the name of ${forms()}; got ${quote(text)}`);
  const host = hostIn(text);
  const own = `${kind.reference.api}.googleapis.com`;
  if (host !== undefined && host !== own) {
    throw notNamed(`must have no host, or the host of ${kind.reference.kind}, ${own}; got ${quote(text)}`);
  }
  return { ...kind, name };
}

function forms(): string {
  const all = GRANT_KINDS.map(
    ({ reference }) => `${reference.kind} (${reference.templates.map((each) => each.template).join(" or ")})`,
  );
  return [...new Set(all)].join(", ");
}

function notNamed(reason: string): InputError {
  return new InputError("No resource with an access policy has this name", [{ path: "RESOURCE", reason }]);
}
