import { secretKeys } from "../../provider/core/config/definition";
import { PACKAGE_NAME } from "../../provider/core/definition";
import { SecretTexts } from "../../provider/core/secrets";
import { isRecord, type Values } from "../../provider/core/unknown";
import { grantStepOf } from "./grant-steps";
import type { Plan } from "./plan";
import { containsSecret, withSecretsFrom } from "./plan-values";
import type { PlannedState } from "./planned-state";

/**
 * Fills in the secrets of a plan that the state shows (`--show-secrets`), and names them in `secrets` of their resources.
 * Changed values stay secret, because the state has only the values before the plan.
 */
export function withReadableSecrets(plan: Plan, state: readonly PlannedState[]): Plan {
  const readable = new Map(state.filter(({ secrets }) => secrets).map((each) => [keyOf(each), each]));
  if (readable.size === 0) return plan;
  const steps = plan.steps.map((step) => {
    const known = step.old && readable.get(keyOf(step.old));
    if (!step.old || !known) return step;
    const stays = step.op === "same" && step.new;
    return { ...step, old: filled(step.old, known), ...(stays ? { new: filled(stays, known) } : {}) };
  });
  return { ...plan, steps };
}

/** A replaced resource has the same URN as its replacement, and another id. */
function keyOf({ urn, id }: PlannedState): string {
  return `${urn} ${id ?? ""}`;
}

function filled(planned: PlannedState, known: PlannedState): PlannedState {
  return {
    ...planned,
    inputs: withSecretsFrom(planned.inputs, known.inputs),
    outputs: withSecretsFrom(planned.outputs, known.outputs),
    ...(known.secrets ? { secrets: known.secrets } : {}),
  };
}

/**
 * The texts that a review knows and must not show: secret settings of the provider, and secret properties of grants and
 * providers in the state.
 *
 * @param given the stack's configuration in plain text, by full key.
 */
export function knownSecrets(plan: Plan, state: readonly PlannedState[], given: Values): SecretTexts {
  const texts = new SecretTexts();
  const credentials = secretKeys();
  for (const [key, value] of Object.entries(given)) {
    const isHidden = containsSecret(plan.config[key]) || credentials.includes(key.slice(key.indexOf(":") + 1));
    if (isHidden) texts.add(value);
  }
  for (const { urn, type, inputs, outputs, secrets = [] } of state) {
    const isOurs = type.startsWith(`pulumi:providers:${PACKAGE_NAME}`) || grantStepOf({ op: "same", urn, type });
    if (isOurs) for (const name of secrets) texts.add([inputs[name], outputs[name]]);
  }
  return texts;
}

/** Properties of a result with fixed words, which contain no values of a stack. */
const FIXED: readonly string[] = ["operation", "change", "code", "hidden"];

/** Copies a result, or a part of it, without these texts. */
export function scrubbed<T>(value: T, texts: SecretTexts): T;
export function scrubbed(value: unknown, texts: SecretTexts): unknown {
  if (typeof value === "string") return texts.scrub(value);
  if (Array.isArray(value)) return value.map((each) => scrubbed<unknown>(each, texts));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, each]) => [key, FIXED.includes(key) ? each : scrubbed(each, texts)]));
}
