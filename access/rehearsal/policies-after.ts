import { sameName } from "../../provider/core/reference";
import { addGrant, bindingKey, removeGrant, type Policy } from "../../provider/iam/policy";
import type { PolicyAfter } from "../live/policies-above";
import type { AccessPolicy } from "../live/access-policy";
import { policyGrant } from "../result/grants";
import type { ForeignStep } from "../plan/foreign-steps";
import { grantFormOf } from "../meaning/meaning";

/**
 * The policies above the resources after the plan, such as that of the project: as the rehearsal leaves them, with the changes of
 * the steps that it does not carry out.
 */
export function policiesAfter(steps: readonly ForeignStep[], rehearsed: readonly AccessPolicy[] = []): PolicyAfter {
  const grants = steps.filter(({ step, changes }) => changes.length > 0 || grantFormOf(step.type) !== undefined);
  return (name, live, api) => {
    const own = grants.filter(({ resource }) => sameName(resource, name));
    const found = rehearsed.find(({ place }) => place.kind.service.api === api && sameName(place.path, name));
    const policy = own.reduce(afterStep, found?.after ?? live);
    return { policy, isSure: own.every(isOfOneMember) && (found?.unknown ?? []).length === 0 };
  };
}

function afterStep(policy: Policy, { step, changes }: ForeignStep): Policy {
  const isBinding = grantFormOf(step.type) === "binding";
  return changes.reduce((left, change) => {
    const grant = policyGrant(change);
    if (change.change === "gained") return addGrant(left, grant);
    if (!isBinding) return removeGrant(left, grant);
    // All members of the role lose it.
    return { ...left, bindings: (left.bindings ?? []).filter((each) => bindingKey(each) !== bindingKey(grant)) };
  }, policy);
}

/** Whether the step changes only grants that its inputs name. */
function isOfOneMember({ step, kind, changes }: ForeignStep): boolean {
  const form = grantFormOf(step.type);
  const isKnown = changes.every(({ hidden }) => hidden === undefined);
  return isKnown && (form === "member" || kind.isRemoval === true || (form === "binding" && step.op === "delete"));
}
