import { defineMemberGrant, type GrantParent } from "./member-grant-definition";
import { MemberGrantLifecycle } from "./member-grant-lifecycle";
import type { Resource } from "./resource";

/** The resource that grants a member a role on one kind of parent: one implementation for all of them. */
export function memberGrant(parent: GrantParent): Resource {
  const definition = defineMemberGrant(parent);
  return { definition, connect: (environment) => new MemberGrantLifecycle(definition, parent, environment) };
}
