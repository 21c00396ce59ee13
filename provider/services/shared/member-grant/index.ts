import type { GrantParent } from "../parent";
import { withLifecycle, type Resource } from "../resource";
import { bindingForm, memberForm, type GrantForm } from "./forms";
import { GrantLifecycle } from "./lifecycle";

/** The resource that grants a member a role on one kind of parent: one implementation for all of them. */
export function memberGrant(parent: GrantParent): Resource {
  return resourceOf(parent, memberForm);
}

/** The resource that owns one role as a whole on one kind of parent: one implementation for all of them. */
export function roleBinding(parent: GrantParent): Resource {
  return resourceOf(parent, bindingForm);
}

function resourceOf(parent: GrantParent, form: GrantForm): Resource {
  const definition = form.define(parent);
  return withLifecycle(definition, (context) => new GrantLifecycle(form, definition, parent, context));
}
