import { foreignSteps, type ForeignStep } from "../../access/plan/foreign-steps";
import { NewResources } from "../../access/plan/new-resources";
import { stepsOf } from "../../access/plan/steps";
import type { PlannedState } from "../../access/plan/planned-state";
import { readPlan, type Plan } from "../../access/plan/plan";

/** A plan with steps of another provider, as the engine prints them, for a stack with a default project of `gcp`. */
export function planOf(...steps: object[]): Plan {
  return readPlan(JSON.stringify({ config: { "gcp:project": "demo-project" }, steps, changeSummary: {} }));
}

/** The steps of other providers in a plan that can change who has access. */
export function foreignStepsOf(plan: Plan, state?: readonly PlannedState[]): ForeignStep[] {
  const steps = stepsOf(plan, state);
  return foreignSteps(steps, new NewResources(steps), () => String(plan.config["gcp:project"]));
}
