import * as z from "zod";
import { isRecord } from "../../provider/core/unknown";
import { objectIn, wrong } from "./json-text";
import { stackIn, stackLabel } from "../result/urn";
import type { Plan, PlanStep } from "./plan";
import { withSecretsFrom } from "./plan-values";
import { plannedState, resourceShape, type PlannedState } from "./planned-state";

/** The content of a stack's export. */
export interface StackState {
  resources: PlannedState[];
  /** What an interrupted update may or may not have finished: `creating`, `updating`, `deleting`, `reading` or `importing`. */
  pending: { operation: string; urn: string; type: string }[];
}

const SUBJECT = "The stack's state cannot be read";
const COMMAND = "pulumi stack export";

/** The relevant parts of `UntypedDeployment` and `DeploymentV3` of sdk/go/common/apitype. */
const exported = z.looseObject({
  deployment: z.looseObject({
    resources: z.array(resourceShape).nullish(),
    pending_operations: z.array(z.looseObject({ type: z.string(), resource: resourceShape })).nullish(),
  }),
});

/**
 * Reads the output of `pulumi stack export`. Secrets are `SECRET` unless the export shows them (`--show-secrets`).
 *
 * @throws InputError, with one message that quotes nothing of the text, when the text is not an export.
 */
export function readStackState(text: string): StackState {
  const json = objectIn(text, SUBJECT, COMMAND);
  const { success, data } = exported.safeParse(json);
  if (!success) {
    const isPlan = Array.isArray(json.steps) && isRecord(json.changeSummary);
    throw wrong(SUBJECT, `${isPlan ? "is a plan" : "is not an export of a stack"}. Print it with \`${COMMAND}\``);
  }
  const { resources, pending_operations: pending } = data.deployment;
  return {
    resources: (resources ?? []).map((each) => plannedState(each)),
    pending: (pending ?? []).map(({ type: operation, resource: { urn, type } }) => ({ operation, urn, type })),
  };
}

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

/** Steps whose old resource is that of the state at the preview. */
const ON_STATE = ["same", "update", "replace", "create-replacement", "delete", "delete-replaced"];

/**
 * The reason why a state is not the state of a plan: it is of another stack, or of another time. Undefined without such a
 * reason.
 */
export function whyOfAnotherPlan(plan: Plan, { resources }: StackState): string | undefined {
  const [ofPlan, ofState] = [stackIn(plan.steps), stackIn(resources)];
  if (ofPlan.stack !== undefined && ofState.stack !== undefined && stackLabel(ofPlan) !== stackLabel(ofState)) {
    return `the state is of the stack ${stackLabel(ofState)}, and the plan of ${stackLabel(ofPlan)}`;
  }
  const known = new Set(resources.map(({ urn, id }) => `${urn}::${id ?? ""}`));
  // Where the inputs differ from the imported resource, the engine updates or replaces what it has just read from the cloud.
  const imported = new Set(plan.steps.filter(({ op }) => op.startsWith("import")).map(({ urn }) => urn));
  const isImported = ({ urn, old, new: wanted }: PlanStep) =>
    imported.has(urn) || (wanted?.importId !== undefined && wanted.importId === old?.id);
  const missing = plan.steps
    .filter((step) => ON_STATE.includes(step.op) && !isImported(step))
    .flatMap(({ old }) => (old?.id === undefined ? [] : old))
    .find(({ urn, id }) => !known.has(`${urn}::${id}`));
  return missing && `the plan was made with another state: ${missing.urn} is not in the state as the plan has it`;
}
