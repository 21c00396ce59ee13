import type { Values } from "../core/unknown";
import type { PlanStep } from "./plan";

/** The configuration of one provider of the stack. */
export interface SettingsOfProvider {
  /** One for each provider of the stack: `default`, or the URN of an explicit one. */
  key: string;
  /** As `Provider` takes them. */
  values: Values;
  /** Settings that the stack has and that are not here: secret ones, and those not known yet. */
  hidden: string[];
}

/** The configurations of the stack's providers. */
export interface ProviderSettings {
  /** The configuration of the provider that the step belongs to. */
  of(step: Pick<PlanStep, "provider" | "urn" | "type">): SettingsOfProvider;
}
