import type { PlanStep } from "./plan";

/** A step of a plan on a grant of an API that the provider knows. */
export interface GrantStep {
  step: PlanStep;
  /** The token of the provider's own resource, as `Provider` takes it. */
  token: string;
  /** Who declared it: the plugin, the npm front, or the google-native provider. */
  front: "plugin" | "npm" | "google-native";
  /** Of google-native: its types for one member, for all members of a role, and for the whole policy. */
  nativeKind?: "member" | "binding" | "policy";
  /** As the front gives it to the provider: the URN for the plugin, `__identity` for npm. */
  identity: string;
}

/** The step on a grant; undefined for a step on anything else. */
export function grantStepOf(_step: PlanStep): GrantStep | undefined {
  throw new Error("to come");
}
