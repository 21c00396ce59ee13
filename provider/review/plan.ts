import type { Values } from "../core/unknown";

/** A plan as `pulumi preview --json` or `pulumi destroy --preview-only --json` writes it. */
export interface Plan {
  operation: "update" | "destroy";
  /** Absent where no step names it. */
  stack?: string;
  project?: string;
  /** The stack's configuration by full key (`perimeter:project`). Secrets are `SECRET`. */
  config: Values;
  /** In the order in which the engine takes them. */
  steps: PlanStep[];
  /** The error messages of a preview that failed. Its steps are not all that the update would take. */
  errors: string[];
  /** Whether unchanged resources are in the plan: `--show-sames` was given, or all of them change. */
  hasUnchanged: boolean;
}

export interface PlanStep {
  /** `create`, `update`, `replace` (one step with both states), `delete`, `same`, `refresh`, `read`, `import` and others. */
  op: string;
  urn: string;
  /** The resource's type: `perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember`. */
  type: string;
  /** `URN::ID` of the provider. Absent for components and for providers themselves. */
  provider?: string;
  old?: PlannedState;
  new?: PlannedState;
}

/** A resource as a plan or a state has it. Secret values are `SECRET`, values that are not known yet `UNKNOWN`. */
export interface PlannedState {
  urn: string;
  type: string;
  id?: string;
  inputs: Values;
  outputs: Values;
  provider?: string;
  /** URNs. */
  dependencies?: string[];
}

/**
 * Reads a plan.
 *
 * @throws InputError, with one message, for what is no plan.
 */
export function readPlan(_text: string): Plan {
  throw new Error("to come");
}
