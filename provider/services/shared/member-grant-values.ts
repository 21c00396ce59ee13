import type { Values } from "../../core/unknown";
import type { Call } from "../../http/call";
import type { Grant, Policy } from "../../iam/policy";
import type { PolicyTarget } from "../../iam/policy-api";
import type { LifecycleContext } from "./lifecycle-context";
import type { GrantParent } from "./member-grant-definition";

/** The policy as it was a moment ago: previews and refreshes come by the hundred, and those of one resource share a read. */
export function policyOfAMomentAgo(target: PolicyTarget, environment: LifecycleContext, call: Call): Promise<Policy> {
  return environment.policies.read(target, { version: 3, freshness: "recent" }, call);
}

/** The grant in a resource's inputs or state. */
export function grantOf(values: Values): Grant {
  const condition = values.condition as Grant["condition"];
  return {
    role: values.role as string,
    member: values.member as string,
    ...(condition ? { condition } : {}),
  };
}

export function inputsOf(resource: string, grant: Grant): Values {
  return { name: resource, ...grant };
}

/** The resource whose policy is changed, by its relative name. */
export function targetOf(parent: GrantParent, resource: string, environment: LifecycleContext): PolicyTarget {
  return {
    client: environment.client(parent.service),
    resource,
    kind: parent.kind,
    api: parent.service.api,
    writesPerMinute: parent.policyWritesPerMinute,
  };
}

/** Whether each grant becomes the whole policy of its resource. */
export function replacesPolicy({ configuration }: LifecycleContext): boolean {
  return (configuration.grantMode ?? "replace") === "replace";
}
