/** A stack's state, as the engine writes it. */

export interface StepState {
  type: string;
  urn: string;
  id?: string;
  inputs?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
  protect?: boolean;
  provider?: string;
  [key: string]: unknown;
}

export interface StackState {
  version: number;
  deployment: {
    resources?: StepState[];
    pending_operations?: unknown[];
    [key: string]: unknown;
  };
}
