import { grantsOf, type Expr, type Grant, type Policy } from "../../provider/iam/policy";
import { inheritedIn } from "../above/policies-above";
import type { ReviewedGrant, ReviewedResource } from "../result";
import type { PolicyRead } from "./read-policies";

type Bindings = NonNullable<ReviewedResource["after"]>;

/** A resource with the current access, which is both `before` and `after`. */
export function reviewedNow({ resource, policy, failure, above }: PolicyRead): ReviewedResource {
  const { reference, definition, name, cloud } = resource;
  const { service } = definition;
  const bindings = policy ? bindingsOf(policy) : null;
  const endpoint = cloud.endpointOf(service);
  return {
    resource: name,
    kind: reference.kind,
    api: service.api,
    ...(endpoint === undefined ? {} : { endpoint }),
    changes: [],
    unchanged: policy ? grantsOf(policy).length : 0,
    noAccessLeft: [],
    ...(above && inheritedIn(above, shownGrant)),
    unmanaged: [],
    before: bindings,
    after: bindings,
    unknown: failure === undefined ? [] : [{ code: "unreadable policy", message: failure }],
  };
}

/** All grants of a policy, as a result lists them. */
export function grantsNow({ policy }: PolicyRead): ReviewedGrant[] {
  return grantsOf(policy ?? {}).map(shownGrant);
}

function bindingsOf({ bindings = [] }: Policy): Bindings {
  return bindings.map(({ role = "", members = [], condition }) => ({
    role,
    members: [...members],
    ...shownCondition(condition),
  }));
}

function shownGrant({ member, role, condition }: Grant): ReviewedGrant {
  return { principal: member, role, ...shownCondition(condition) };
}

function shownCondition(condition: Expr | undefined): Pick<ReviewedGrant, "condition"> {
  const { title = "", description, expression = "" } = condition ?? {};
  // A condition without a title and an expression has no effect.
  return title || expression ? { condition: { title, ...(description ? { description } : {}), expression } } : {};
}
