import * as z from "zod";
import { isRecord } from "../../provider/core/unknown";
import { objectIn, wrong } from "./json-text";
import type { Plan } from "./plan";
import { plannedState, resourceShape, type PlannedState } from "./planned-state";

/** What a stack's export says. */
export interface StackState {
  resources: PlannedState[];
  /** What an interrupted update may have done or not: the state does not say. */
  pending: PendingOperation[];
}

export interface PendingOperation {
  /** `creating`, `updating`, `deleting`, `reading` or `importing`. */
  operation: string;
  urn: string;
  /** Of the resource. */
  type: string;
}

const SUBJECT = "The stack's state cannot be read";
const COMMAND = "pulumi stack export";

/** `UntypedDeployment` and `DeploymentV3` of sdk/go/common/apitype, as far as they matter here. */
const exported = z.looseObject({
  deployment: z.looseObject({
    resources: z.array(resourceShape).nullish(),
    pending_operations: z.array(z.looseObject({ type: z.string(), resource: resourceShape })).nullish(),
  }),
});

/**
 * Reads what `pulumi stack export` prints. Secrets are read where the export shows them (`--show-secrets`), and are
 * `SECRET` elsewhere.
 *
 * @throws InputError, with one message that quotes nothing of the text, for what is no export.
 */
export function readStackState(text: string): StackState {
  const json = objectIn(text, SUBJECT, COMMAND);
  const { success, data } = exported.safeParse(json);
  if (!success) {
    const isPlan = Array.isArray(json.steps) && isRecord(json.changeSummary);
    throw wrong(SUBJECT, `${isPlan ? "is a plan" : "is not what it should be"}. Print it with \`${COMMAND}\``);
  }
  const { resources, pending_operations: pending } = data.deployment;
  return {
    resources: (resources ?? []).map((each) => plannedState(each)),
    pending: (pending ?? []).map(({ type: operation, resource: { urn, type } }) => ({ operation, urn, type })),
  };
}

/** The resources of an export: see `readStackState`. */
export function readState(text: string): PlannedState[] {
  return readStackState(text).resources;
}

/** Steps whose old resource is the state's, as the preview found it. */
const ON_STATE = ["same", "update", "replace", "create-replacement", "delete", "delete-replaced"];

/**
 * Why a state is not the one that a plan was made with: it is of another stack, or of another time. Undefined where nothing
 * speaks against it.
 */
export function whyOfAnotherPlan(plan: Plan, { resources }: StackState): string | undefined {
  const ofPlan = stackIn(plan.steps);
  const ofState = stackIn(resources);
  if (ofPlan !== undefined && ofState !== undefined && ofPlan !== ofState) {
    return `the state is of the stack ${ofState}, and the plan of ${ofPlan}`;
  }
  if (plan.operation === "access") return undefined;
  const known = new Set(resources.map(({ urn, id }) => `${urn}::${id ?? ""}`));
  const missing = plan.steps
    .filter(({ op }) => ON_STATE.includes(op))
    .flatMap(({ old }) => (old?.id === undefined ? [] : old))
    .find(({ urn, id }) => !known.has(`${urn}::${id}`));
  return missing && `the plan was made with another state: ${missing.urn} is in the plan as the state does not have it`;
}

/** `project/stack`. */
function stackIn(resources: readonly { urn: string }[]): string | undefined {
  const [, stack, project] = resources.map(({ urn }) => /^urn:pulumi:(.+?)::(.+?)::/.exec(urn)).find(Boolean) ?? [];
  return stack === undefined ? undefined : `${project}/${stack}`;
}
