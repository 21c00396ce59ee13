import { readPlan, type Plan } from "../../access/plan/plan";

/** A plan with steps of another provider, as the engine prints them, for a stack with a default project of `gcp`. */
export function planOf(...steps: object[]): Plan {
  return readPlan(JSON.stringify({ config: { "gcp:project": "demo-project" }, steps, changeSummary: {} }));
}
