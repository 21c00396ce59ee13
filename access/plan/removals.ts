import { isRecord } from "../../provider/core/unknown";
import { isAtLeast } from "../../provider/version";
import { stepOn, type Plan, type PlanStep } from "./plan";
import { STACK_TYPE, type PlannedState } from "./planned-state";

/**
 * When the engine deletes the old resource of a step in the cloud: before it makes anything else of the step, after all steps of the
 * program, or with another resource (`deletedWith`), without asking the provider. `never`: it stays, or it is already deleted.
 */
export type Removal = "first" | "last" | "with another" | "never";

const REPLACES = ["replace", "import-replacement"];
const DELETES = ["delete", "delete-replaced"];

/** Whether a step deletes its old resource and makes no other one. */
export function isDelete(op: string): boolean {
  return DELETES.includes(op);
}

/** Whether a step is to delete its old resource. */
export function removes(op: string): boolean {
  return REPLACES.includes(op) || isDelete(op);
}

/** The removals of a plan. */
export class Removals {
  /** URNs of the resources that the engine deletes or forgets last. */
  private readonly goLast: ReadonlySet<string>;
  /** URNs of resources that are in the state and were already deleted. */
  private readonly gone: ReadonlySet<string>;
  /** URNs of old resources whose delete is in front of the create of their replacements. */
  private readonly goFirst: ReadonlySet<string>;
  /** By URN, the replaced resources for which the engine skips the deletes of what is `deletedWith` them. Older engines have none. */
  private readonly owners: ReadonlyMap<string, PlannedState | undefined>;

  constructor(plan: Pick<Plan, "steps" | "engine">, state: readonly PlannedState[] = []) {
    this.goLast = deletedAtTheEnd(plan, state);
    this.gone = alreadyDeleted(state);
    this.goFirst = deletedBeforeReplaced(plan);
    this.owners = skipsDeletes(plan) ? deletedInReplacements(plan) : new Map();
  }

  of({ op, old, new: next }: Pick<PlanStep, "op" | "old" | "new">): Removal {
    if (!old || !leavesTheCloud(old) || !removes(op)) return "never";
    const { urn, pendingReplacement, deletedWith } = old;
    const isReplaced = REPLACES.includes(op);
    if (isReplaced && this.gone.has(urn)) return "never";
    if (isReplaced && (pendingReplacement || this.goFirst.has(urn)) && next) return old.delete ? "never" : "first";
    return deletedWith !== undefined && this.goLast.has(deletedWith) ? "with another" : "last";
  }

  /**
   * Whether the engine may delete or replace the old resource without asking its provider, because `deletedWith` names a resource that
   * the update replaces. It depends on the order in which the program registers the two, which no plan shows. It makes no difference
   * for a grant on that resource, if that leaves the cloud.
   */
  mayBeSkipped({ op, old }: Pick<PlanStep, "op" | "old">): boolean {
    if (!old?.deletedWith || !removes(op) || !leavesTheCloud(old) || !this.owners.has(old.deletedWith)) return false;
    const owner = this.owners.get(old.deletedWith);
    return !(owner?.id && leavesTheCloud(owner) && isOn(owner.id, old));
  }
}

/** The first version that replaces what is `deletedWith` a replaced resource: https://github.com/pulumi/pulumi/releases/tag/v3.260.0 */
const SKIPS_DELETES = "3.260.0";

function skipsDeletes({ engine }: Pick<Plan, "engine">): boolean {
  return engine === undefined || isAtLeast(engine, SKIPS_DELETES);
}

/** The old resources of replacements that delete first, by URN (`sg.deletes[old.URN]` in pulumi's step_generator.go). */
function deletedInReplacements({ steps }: Pick<Plan, "steps">): Map<string, PlannedState | undefined> {
  const isFirst = ({ op, old }: PlanStep) =>
    op === "delete-replaced" || (REPLACES.includes(op) && old?.pendingReplacement === true);
  return new Map(steps.filter(isFirst).map(({ urn, old }) => [old?.urn ?? urn, old]));
}

function isOn(id: string, { inputs }: PlannedState): boolean {
  return Object.values(inputs).some((each) => typeof each === "string" && `${each}/`.startsWith(`${id}/`));
}

/** URNs of resources that an update deleted before it failed to create their replacements. */
export function alreadyDeleted(state: readonly PlannedState[]): Set<string> {
  return new Set(state.filter(({ pendingReplacement }) => pendingReplacement).map(({ urn }) => urn));
}

/** The order of the parts of a replacement is that of the engine, also where no state says that the replacement is pending. */
function deletedBeforeReplaced({ steps }: Pick<Plan, "steps">): Set<string> {
  const deleted = new Set<string>();
  const first = new Set<string>();
  for (const { op, urn, old } of steps) {
    if (op === "delete-replaced") deleted.add(urn);
    else if (op === "create-replacement" && deleted.has(old?.urn ?? urn)) first.add(old?.urn ?? urn);
  }
  return first;
}

/**
 * URNs of the resources that the engine deletes or forgets last, including the old ones of replacements that create first. The
 * `deletedWith` of others takes effect for these only (`sg.deletes` in pulumi's step_generator.go).
 */
function deletedAtTheEnd(plan: Pick<Plan, "steps">, state: readonly PlannedState[]): Set<string> {
  // A refresh shows a resource that it does not find in the cloud as a `delete` too, before the first step of the program. A
  // destroy has no such step, so after a refresh it is unknown which deletes belong to the engine.
  const { steps } = plan;
  const begin = steps.findIndex(({ type, op }) => type === STACK_TYPE && !["delete", "refresh"].includes(op));
  const isUnclear = begin < 0 && steps.some(({ op }) => op === "refresh");
  const sure = isUnclear ? [] : steps.slice(begin + 1);
  const goes = ({ op, old }: PlanStep) =>
    ["delete", "discard", "read-discard"].includes(op) || (op === "replace" && old?.delete === true);
  return new Set([...sure.filter(goes), ...deletesLeftIn(state, plan)].map(({ urn }) => urn));
}

/** Replaced by an update that ended before its deletes. The next update deletes it. */
export function waitsForDelete({ delete: old, pendingReplacement }: PlannedState): boolean {
  return Boolean(old && !pendingReplacement);
}

/** Whether the next update takes its grants away: it waits for its delete, and that asks the provider. */
export function losesGrantsNext(state: PlannedState): boolean {
  return waitsForDelete(state) && !state.retainOnDelete;
}

/**
 * The deletes that an earlier update left to the next one. No plan lists them. If a plan lists the resource as unchanged,
 * `--target` or `--exclude` leaves the delete to a later update.
 */
export function deletesLeftIn(state: readonly PlannedState[], { steps }: Pick<Plan, "steps">): PlanStep[] {
  const isKept = ({ urn, id }: PlannedState) =>
    steps.some(({ op, old }) => op === "same" && old?.delete === true && old.urn === urn && old.id === id);
  return state.filter((each) => waitsForDelete(each) && !isKept(each)).map((each) => stepOn(each, "delete"));
}

/** Whether a delete in the stack also deletes the resource in the cloud: not if the stack only reads it, or if an option keeps it. */
export function leavesTheCloud({ external, retainOnDelete, inputs }: PlannedState): boolean {
  // https://cloud.google.com/config-connector/docs/how-to/managing-deleting-resources
  const { metadata } = inputs;
  const annotations = isRecord(metadata) ? metadata.annotations : undefined;
  const ofConnector = isRecord(annotations) ? annotations["cnrm.cloud.google.com/deletion-policy"] : undefined;
  return !external && !retainOnDelete && inputs.deletionPolicy !== "ABANDON" && ofConnector !== "abandon";
}
