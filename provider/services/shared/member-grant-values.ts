import type { Values } from "../../core/unknown";
import type { Grant } from "../../iam/policy";
import type { PolicyTarget } from "../../iam/policy-api";
import type { PolicyRead } from "../../iam/policy-store";
import type { LifecycleContext } from "./lifecycle-context";
import type { GrantParent } from "./member-grant";

/** Previews and refreshes come by the hundred: those of one resource share a read. */
export const RECENT: PolicyRead = { version: 3, freshness: "recent" };

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
