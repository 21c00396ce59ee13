import { z } from "zod";
import { isRecord } from "../core/unknown";
import { objectIn, wrong } from "./json-text";
import { plannedState, resourceShape, type PlannedState } from "./planned-state";

/** What a stack's export says. */
export interface StackState {
  resources: PlannedState[];
  /** What an interrupted update may have done or not: the state does not say. `type`: `creating`, `deleting` and others. */
  pending: { type: string; urn: string }[];
}

const SUBJECT = "The stack's state cannot be read";
const COMMAND = "pulumi stack export";

/** `UntypedDeployment` and `DeploymentV3` of sdk/go/common/apitype, as far as they matter here. */
const exported = z.looseObject({
  deployment: z.looseObject({
    resources: z.array(resourceShape).nullish(),
    pending_operations: z
      .array(z.looseObject({ type: z.string(), resource: z.looseObject({ urn: z.string() }) }))
      .nullish(),
  }),
});

/**
 * Reads what `pulumi stack export` prints. Secrets are read where the export shows them (`--show-secrets`), and are
 * `SECRET` elsewhere.
 *
 * @param secretText is handed each secret that the export shows.
 * @throws InputError, with one message that quotes nothing of the text, for what is no export.
 */
export function readStackState(text: string, secretText?: (secret: unknown) => void): StackState {
  const json = objectIn(text, SUBJECT, COMMAND);
  const { success, data } = exported.safeParse(json);
  if (!success) {
    const isPlan = Array.isArray(json.steps) && isRecord(json.changeSummary);
    throw wrong(SUBJECT, `${isPlan ? "is a plan" : "is not what it should be"}. Print it with \`${COMMAND}\``);
  }
  const { resources, pending_operations: pending } = data.deployment;
  return {
    resources: (resources ?? []).map((each) => plannedState(each, secretText)),
    pending: (pending ?? []).map(({ type, resource }) => ({ type, urn: resource.urn })),
  };
}

/** The resources of an export: see `readStackState`. */
export function readState(text: string): PlannedState[] {
  return readStackState(text).resources;
}
