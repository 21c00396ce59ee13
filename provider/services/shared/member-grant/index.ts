import { withLifecycle, type Resource } from "../resource";
import { defineMemberGrant, type GrantParent } from "./definition";
import { MemberGrantLifecycle } from "./lifecycle";

/** The resource that grants a member a role on one kind of parent: one implementation for all of them. */
export function memberGrant(parent: GrantParent): Resource {
  const definition = defineMemberGrant(parent);
  return withLifecycle(definition, (context) => new MemberGrantLifecycle(definition, parent, context));
}
