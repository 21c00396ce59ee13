import { MEANS_NOTHING, meaningOf, type Meaning } from "../meaning/meaning";
import { grantStepOf, type GrantStep } from "./grant-steps";
import { isOnComponent, withoutParts, type Plan, type PlanStep } from "./plan";
import type { PlannedState } from "./planned-state";
import { deletesLeftIn, Removals, type Removal } from "./removals";

/** A step of a plan, and what it means for access. */
export interface Step extends PlanStep {
  meaning: Meaning;
  /** The grant that it is on, if a rehearsal can carry it out. */
  grant?: GrantStep;
  /** When its old resource is deleted in the cloud. */
  removal: Removal;
}

/**
 * The steps of a plan: the deletes that an earlier update left to this one, which no plan shows, then those of the plan, without the parts
 * of replacements.
 */
export function stepsOf(plan: Plan, state: readonly PlannedState[] = []): Step[] {
  const removals = new Removals(plan, state);
  const steps = [...deletesLeftIn(state, plan), ...withoutParts(plan.steps)];
  return steps.map((step) => withMeaning(step, removals.of(step)));
}

/** @param removal default: it deletes nothing */
export function withMeaning(step: PlanStep, removal: Removal = "never"): Step {
  const grant = grantStepOf(step);
  const meaning = isOnComponent(step) ? MEANS_NOTHING : meaningOf(step.type);
  return { ...step, meaning, ...(grant && { grant }), removal };
}
