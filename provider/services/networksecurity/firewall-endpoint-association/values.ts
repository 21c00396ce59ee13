import { metaOf } from "../../../core/field";
import type { Prior } from "../../../core/lifecycle";
import { isProjectNumber, sameName, sameProject } from "../../../core/reference";
import { isUnknown, textOf, UNKNOWN, type Values } from "../../../core/unknown";
import { fromWire } from "../../../core/wire";
import { parseAnswer } from "../../../http/parse-answer";
import { DOING } from "./api";
import { associationName, firewallEndpointAssociation as definition } from "./definition";
import { withoutPending } from "../../../operations/pending";

/** The association's name where its inputs decide it. */
export function nameFromInputs(inputs: Values): string | undefined {
  const { project, location, firewallEndpointAssociationId } = inputs;
  const parts = { project, location, firewallEndpointAssociationId };
  if (Object.values(parts).some((part) => part === undefined || isUnknown(part))) return undefined;
  return associationName.format(parts as Record<string, string>);
}

/** What the association is now, as outputs: what the program gave, and what the server says of it. */
export function stateOf(name: string, live: Values, inputs: Values): Values {
  const place = associationName.parse(name) as Record<string, string>;
  const { inputs: mine, outputs } = parseAnswer(DOING.read, name, () => ({
    inputs: fromWire(definition.inputs, live),
    outputs: fromWire(definition.outputs, live),
  }));
  const state: Values = { ...mine, ...place, ...outputs, name };
  if (inputs.requestId !== undefined) state.requestId = inputs.requestId;
  return withoutPending(keepSpelling(state, inputs));
}

/** Inputs that would make what is there. With earlier inputs, only what they give or what has come to differ. */
export function inputsOf(name: string, live: Values, before: Values | undefined): Values {
  const place = associationName.parse(name) as Record<string, string>;
  const wire = parseAnswer(DOING.read, name, () => fromWire(definition.inputs, live));
  const inputs: Values = { ...wire, ...place };
  if (!before) return inputs;
  if (before.firewallEndpointAssociationId === undefined) delete inputs.firewallEndpointAssociationId;
  if (before.requestId !== undefined) inputs.requestId = before.requestId;
  if (isEmptyMap(before.labels) && inputs.labels === undefined) inputs.labels = before.labels;
  if (before.project !== undefined && sameProject(textOf(inputs.project), textOf(before.project))) {
    inputs.project = before.project;
  }
  return keepSpelling(inputs, before);
}

/** The API may answer a project's number where its id was given: the same resource keeps the program's spelling. */
function keepSpelling(values: Values, inputs: Values): Values {
  const kept = { ...values };
  for (const property of Object.keys(definition.inputs.shape)) {
    const [mine, theirs] = [inputs[property], values[property]];
    if (typeof mine === "string" && typeof theirs === "string" && metaOf(inputSchema(property)).reference) {
      if (sameName(mine, theirs)) kept[property] = mine;
    }
  }
  return kept;
}

function isEmptyMap(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** The API clears an optional property whose mask is sent with its empty value. */
export function emptyOf(property: string): unknown {
  return property === "labels" ? {} : "";
}

export function inputSchema(property: string) {
  return definition.inputs.shape[property as keyof typeof definition.inputs.shape];
}

/** States of older providers may not say where the association is; its id always does. */
export function stateWithPlace({ id, state }: Prior): Values {
  return { ...associationName.parse(id), ...state };
}

/** The outputs that no update changes: where the association is, and when it was made. */
export function unchanging({ id, state }: Prior): Values {
  const { project, location, firewallEndpointAssociationId, createTime = UNKNOWN } = state;
  return { project, location, firewallEndpointAssociationId, createTime, name: id };
}

/**
 * What the inputs are compared with. The state's project is the one of the name, which never changes. Where the program
 * has spelled it otherwise since (the number for the id), its own last spelling tells whether a number became another.
 */
export function comparable(prior: Prior, inputs: Values): Values {
  const { state } = prior;
  const [before, wanted] = [textOf(prior.inputs?.project), textOf(inputs.project)];
  if (before === "" || wanted === "" || isProjectNumber(before) !== isProjectNumber(wanted)) return state;
  return { ...state, project: before };
}

/**
 * True where old and new cannot exist side by side: the same name, or the same network in the same zone, of which the
 * API accepts one association. Whatever is unknown might collide.
 */
export function collides(state: Values, inputs: Values): boolean {
  const same = (property: string) => {
    const [current, wanted] = [state[property], inputs[property]];
    if (isUnknown(wanted)) return true;
    return property === "project" ? sameProject(textOf(current), textOf(wanted)) : current === wanted;
  };
  if (!same("location")) return false;
  const sameNetwork = isUnknown(inputs.network) || sameName(textOf(state.network), textOf(inputs.network));
  const givenId = inputs.firewallEndpointAssociationId;
  return sameNetwork || (givenId !== undefined && same("project") && same("firewallEndpointAssociationId"));
}
