import * as z from "zod";
import { isRecord } from "../core/unknown";
import { objectIn, wrong } from "./json-text";
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
