import { withLifecycle, type Resource } from "../resource";
import { RoleBindingLifecycle } from "./binding-lifecycle";
import { defineMemberGrant, defineRoleBinding, type GrantParent } from "./definition";
import { MemberGrantLifecycle } from "./lifecycle";

/** The resource that grants a member a role on one kind of parent: one implementation for all of them. */
export function memberGrant(parent: GrantParent): Resource {
  const definition = defineMemberGrant(parent);
  return withLifecycle(definition, (context) => new MemberGrantLifecycle(definition, parent, context));
}

/** The resource that owns one role as a whole on one kind of parent: one implementation for all of them. */
export function roleBinding(parent: GrantParent): Resource {
  const definition = defineRoleBinding(parent);
  return withLifecycle(definition, (context) => new RoleBindingLifecycle(definition, parent, context));
}

export type { GrantParent } from "./definition";
