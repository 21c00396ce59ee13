import { grantsOf, type Policy } from "../../provider/iam/policy";
import { endpointBeside } from "../rehearsal/rehearsed-providers";
import type { ReviewedResource } from "../result";
import type { PolicyRead } from "./read-policies";

type Bindings = NonNullable<ReviewedResource["after"]>;

/** A resource with the current access, which is both `before` and `after`. */
export function reviewedNow({ resource, baseUrl, policy, failure }: PolicyRead): ReviewedResource {
  const { reference, definition, name } = resource;
  const { service } = definition;
  const bindings = policy ? bindingsOf(policy) : null;
  const endpoint = baseUrl === undefined ? undefined : endpointBeside(service, baseUrl);
  return {
    resource: name,
    kind: reference.kind,
    api: service.api,
    ...(endpoint === undefined ? {} : { endpoint }),
    changes: [],
    unchanged: policy ? grantsOf(policy).length : 0,
    noAccessLeft: [],
    unmanaged: [],
    before: bindings,
    after: bindings,
    unknown: failure === undefined ? [] : [{ code: "unreadable policy", message: failure }],
  };
}

function bindingsOf({ bindings = [] }: Policy): Bindings {
  return bindings.map(({ role = "", members = [], condition }) => {
    const { title = "", description, expression = "" } = condition ?? {};
    return {
      role,
      members: [...members],
      // An empty condition is no condition.
      ...(title || expression ? { condition: { title, ...(description ? { description } : {}), expression } } : {}),
    };
  });
}
