import { sameName } from "../../provider/core/reference";
import { addGrant, removeGrant, sameCondition, type Grant, type Policy } from "../../provider/iam/policy";
import type { PolicyAfter } from "../above/policies-above";
import type { AccessChanged } from "../result";
import type { ForeignStep } from "./foreign-steps";

/** The policies above the resources as the steps of other providers leave them, such as that of the project. */
export function policiesAfter(steps: readonly ForeignStep[]): PolicyAfter {
  return (name, live) => {
    const own = steps.filter(
      ({ resource, changes, step }) => sameName(resource, name) && (changes.length > 0 || isGrant(step)),
    );
    const isSure = own.every(isOfOneMember);
    return {
      policy: own.flatMap(({ step, changes }) => changes.map((change) => ({ step, change }))).reduce(after, live),
      isSure,
    };
  };
}

function after(policy: Policy, { step, change }: { step: ForeignStep["step"]; change: AccessChanged }): Policy {
  const grant = grantOf(change);
  if (change.change === "gained") return addGrant(policy, grant);
  if (!isBinding(step)) return removeGrant(policy, grant);
  // A binding removes its role from everybody.
  const stays = ({ role, condition }: NonNullable<Policy["bindings"]>[number]) =>
    role !== grant.role || !sameCondition(condition, grant.condition);
  return { ...policy, bindings: (policy.bindings ?? []).filter(stays) };
}

function grantOf({ principal: member, role, condition }: AccessChanged): Grant {
  return { member, role, ...(condition ? { condition } : {}) };
}

/** Whether the step changes the grants of one member only, which its inputs name. */
function isOfOneMember({ step, changes }: ForeignStep): boolean {
  const isKnown = changes.every(({ hidden }) => hidden === undefined);
  return isKnown && (/Iam(Member|MemberRemove)$/i.test(step.type) || (isBinding(step) && step.op === "delete"));
}

function isBinding({ type }: ForeignStep["step"]): boolean {
  return /IamBinding$/i.test(type);
}

function isGrant({ type }: ForeignStep["step"]): boolean {
  return /Iam(Member|Binding|Policy)$/i.test(type);
}
