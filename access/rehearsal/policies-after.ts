import { sameName } from "../../provider/core/reference";
import { addGrant, bindingKey, removeGrant, type Grant, type Policy } from "../../provider/iam/policy";
import type { PolicyAfter } from "../live/policies-above";
import { policyGrant } from "../result/grants";
import type { ForeignStep } from "../plan/foreign-steps";
import { grantFormOf } from "../plan/foreign-kinds";

/** The policies above the resources as the steps of other providers leave them, such as that of the project. */
export function policiesAfter(steps: readonly ForeignStep[]): PolicyAfter {
  const grants = steps.filter(({ step, changes }) => changes.length > 0 || grantFormOf(step.type) !== undefined);
  return (name, live) => {
    const own = grants.filter(({ resource }) => sameName(resource, name));
    return { policy: own.reduce(afterStep, live), isSure: own.every(isOfOneMember) };
  };
}

function afterStep(policy: Policy, { step, changes }: ForeignStep): Policy {
  const isBinding = grantFormOf(step.type) === "binding";
  return changes.reduce((left, change) => {
    const grant = policyGrant(change);
    if (change.change === "gained") return addGrant(left, grant);
    return isBinding ? withoutRole(left, grant) : removeGrant(left, grant);
  }, policy);
}

/** The policy after a binding of the grant's role is deleted: all members of the role lose it. */
function withoutRole(policy: Policy, grant: Grant): Policy {
  const bindings = (policy.bindings ?? []).filter((each) => bindingKey(each) !== bindingKey(grant));
  return { ...policy, bindings };
}

/** Whether the step changes only grants that its inputs name. */
function isOfOneMember({ step, kind, changes }: ForeignStep): boolean {
  const form = grantFormOf(step.type);
  const isKnown = changes.every(({ hidden }) => hidden === undefined);
  return isKnown && (form === "member" || kind.isRemoval === true || (form === "binding" && step.op === "delete"));
}
