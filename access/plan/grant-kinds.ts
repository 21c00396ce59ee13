import { tokenOf, type ResourceDefinition } from "../../provider/core/definition";
import { BugError } from "../../provider/core/errors";
import { findMeta, propertyOf } from "../../provider/core/field";
import type { NameTemplate, ReferenceKind } from "../../provider/core/reference";
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
