import { textOf } from "../../provider/core/unknown";
import { grantKindOf, isMemberGrant } from "../meaning/grant-kinds";
import { MEANS_NOTHING, meaningOf, type GrantMeaning } from "../meaning/meaning";
import { isOnComponent, type PlanStep } from "./plan";

/** A step of a plan on a grant of an API that the provider knows. */
export interface GrantStep extends GrantMeaning {
  step: PlanStep;
  /** The identity that the front gives to the provider: `__identity` for npm, the URN for the others. */
  identity: string;
}

/** The step on a grant, or undefined for other steps. */
export function grantStepOf(step: PlanStep): GrantStep | undefined {
  const { grant } = isOnComponent(step) ? MEANS_NOTHING : meaningOf(step.type);
  return grant && { ...grant, step, identity: grant.front === "npm" ? npmIdentityOf(step) : step.urn };
}

/** Whether `grantMode` decides what a grant does: not that of another provider, nor one that is added in each mode. */
export function hasGrantMode({ form, token }: GrantStep): boolean {
  return form === undefined && !grantKindOf(token).targets.alwaysMerges;
}

/** The npm front keeps the identity of a resource among its inputs. */
function npmIdentityOf({ old, new: planned, urn }: PlanStep): string {
  return textOf(planned?.inputs.__identity) || textOf(old?.inputs.__identity) || urn;
}

/** What a grant takes from everybody whom it does not name: nothing, its role under its condition, or the whole policy. */
export function ownershipOf({ form, token }: GrantStep): "nothing" | "role" | "policy" {
  if (form === "policy") return "policy";
  return (form === undefined ? isMemberGrant(token) : form === "member") ? "nothing" : "role";
}
