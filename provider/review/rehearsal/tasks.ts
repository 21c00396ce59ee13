import type { Values } from "../../core/unknown";
import { grantKindOf } from "../grant-kinds";
import { grantStepOf, type GrantStep } from "../grant-steps";
import type { PlanStep } from "../plan";
import { withSecretsFrom } from "../plan-values";
import type { PlannedState } from "../planned-state";
import type { HiddenValues } from "./hidden-values";
import { plannedGrants, type PlannedGrants } from "./planned-grants";
import type { RehearsalRequest } from "./request";

/** One resource of the plan and what the update does with it. */
export interface Task {
  /**
   * `same`: stays as it is, or is taken up from the cloud. `left out`: stays as it is, since `--target` or `--exclude` has
   * the engine leave it out: the provider hears nothing of it. `other`: none of the things that a review can follow.
   */
  op: "same" | "left out" | "create" | "update" | "replace" | "delete" | "other";
  step: GrantStep;
  /** What the state has. */
  old?: Side;
  /** What the program wants. */
  wanted?: Side;
  /** Set where the state alone has it: a plan that does not show unchanged resources may also have left it out. */
  isAssumed?: boolean;
  /** When the old resource of a replacement, or a deleted one, goes. `never`: the cloud keeps it, or it is gone already. */
  removal: "first" | "last" | "never";
}

/** A resource as it is before or after the update. */
export interface Side extends PlannedGrants {
  state: PlannedState;
  /** The step with the provider of this side: a replacement may move to another one. */
  step: GrantStep;
}

const OPS: ReadonlyMap<string, Task["op"]> = new Map([
  ["same", "same"],
  ["import", "same"],
  ["create", "create"],
  ["create-replacement", "create"],
  ["update", "update"],
  ["replace", "replace"],
  ["import-replacement", "replace"],
  ["delete", "delete"],
  ["delete-replaced", "delete"],
]);
/** Steps that change the state alone, or that the stack only reads. */
const WITHOUT_EFFECT = ["read", "read-replacement", "read-discard", "discard", "discard-replaced"];
const STATE_ONLY = ["refresh", "remove-pending-replace", ...WITHOUT_EFFECT];
/** Parts of a replacement, where the plan shows the whole of it too. */
const PARTS = ["create-replacement", "delete-replaced"];

/** What an update does, in its order, and what the state has beside it. */
export interface Tasks {
  /** Unchanged resources that the plan does not show, then the steps of the plan. */
  inOrder: Task[];
  /** Deletes, and the old resources of replacements: the engine takes them last, the newest of the state first. */
  last: Task[];
}

export function tasksOf({ plan, state }: RehearsalRequest, hiddenValues: HiddenValues): Tasks {
  const reader = new TaskReader(hiddenValues);
  const replaced = new Set(plan.steps.filter(({ op }) => op === "replace").map(({ urn }) => urn));
  const refreshed = new Map(plan.steps.filter(({ op }) => op === "refresh").map(({ urn, new: now }) => [urn, now]));
  const steps = plan.steps.filter(
    ({ op, urn }) => !STATE_ONLY.includes(op) && !(PARTS.includes(op) && replaced.has(urn)),
  );
  const deleted = new Set(plan.steps.filter(({ op }) => op === "delete").map(({ urn }) => urn));
  // With an alias, the old resource has another URN than the new one.
  const planned = new Set(
    plan.steps.filter(({ op }) => op !== "refresh").flatMap(({ urn, old }) => [urn, old?.urn ?? urn]),
  );
  const unchanged = (state ?? [])
    .filter(({ urn, delete: old, pendingReplacement }) => !planned.has(urn) && !old && !pendingReplacement)
    .flatMap((each) => (refreshed.has(each.urn) ? (refreshed.get(each.urn) ?? []) : each));
  // Left by an earlier update that did not get to its deletes. The engine makes up for it, and no plan shows that.
  const goes = ({ delete: old, pendingReplacement }: PlannedState) => old && !pendingReplacement;
  const leftOver = plan.operation === "access" ? [] : (state ?? []).filter(goes);
  const all = [
    ...unchanged.map((each) => stepOf("same", each)),
    ...leftOver.map((each) => stepOf("delete", each)),
    ...steps,
  ];
  const inOrder = all.flatMap((each) => reader.task(each, deleted));
  if (!plan.hasUnchanged && plan.operation !== "access") {
    const assumed = new Set(unchanged.map(({ urn }) => urn));
    for (const task of inOrder) if (assumed.has(task.step.step.urn)) task.isAssumed = true;
  }
  const last = inOrder.filter(({ removal }) => removal === "last");
  return { inOrder, last: inStateOrder(last, state) };
}

/** The newest of the state first. Without a state: the old resources of replacements, the last one first, then the deletes. */
function inStateOrder(tasks: readonly Task[], state: readonly PlannedState[] | undefined): Task[] {
  const at = new Map(state?.map(({ urn }, index) => [urn, index]));
  const placeOf = ({ step, op, old }: Task) =>
    at.get(old?.state.urn ?? step.step.urn) ?? (op === "replace" ? Infinity : -1);
  const replaced = tasks.filter(({ op }) => op === "replace").reverse();
  const deleted = tasks.filter(({ op }) => op !== "replace");
  return [...replaced, ...deleted]
    .map((task) => ({ task, place: placeOf(task) }))
    .sort((left, right) => (left.place === right.place ? 0 : right.place - left.place))
    .map(({ task }) => task);
}

function stepOf(op: "same" | "delete", state: PlannedState): PlanStep {
  const { urn, type, provider } = state;
  return {
    op,
    urn,
    type,
    ...(provider ? { provider } : {}),
    old: state,
    ...(op === "same" ? { new: { ...state, outputs: {} } } : {}),
  };
}

class TaskReader {
  constructor(private readonly hiddenValues: HiddenValues) {}

  /** The task of a step; none for a step on something else than a grant. */
  task(step: PlanStep, deleted: ReadonlySet<string>): Task[] {
    const grant = grantStepOf(step);
    if (!grant || step.old?.external || step.new?.external) return [];
    const op = isLeftOut(step) ? "left out" : (OPS.get(step.op) ?? "other");
    const before = step.op === "import" ? step.new : step.old;
    const old = before && this.side(grant, before, this.givenOf(grant, before, true), "old");
    const after = step.new && this.givenOf(grant, step.new, false);
    // The program's values of a resource that stays are those of the state.
    const stays = op === "same" || op === "left out" || op === "update";
    const given = stays && old && after && before ? withSecretsFrom(after, this.givenOf(grant, before, true)) : after;
    const wanted = step.new && given && this.side(grant, step.new, given, stays ? "old" : "new");
    return [
      {
        op,
        step: grant,
        ...(old ? { old } : {}),
        ...(wanted ? { wanted } : {}),
        removal: removalOf(op, before, deleted),
      },
    ];
  }

  private side(grant: GrantStep, state: PlannedState, given: Values, owner: string): Side {
    const { urn, provider } = state;
    const step = provider === undefined ? grant : { ...grant, step: { ...grant.step, provider } };
    return { state, step, ...plannedGrants(grant, state, given, `${owner} ${urn}`, this.hiddenValues) };
  }

  /** The properties that say what is granted. What the state shows although it is secret is noted. */
  private givenOf({ token, nativeKind }: GrantStep, { inputs, outputs, secrets = [] }: PlannedState, isOld: boolean) {
    const { definition } = grantKindOf(token);
    const isOwn = (name: string) => Object.hasOwn(definition.inputs.shape, name);
    const given: Values =
      nativeKind === undefined
        ? { ...picked(inputs, isOwn), ...(isOld ? picked(outputs, isOwn) : {}) }
        : picked(inputs, (name) => !name.startsWith("__"));
    for (const name of secrets) this.hiddenValues.keep(given[name]);
    return given;
  }
}

/**
 * Whether the engine leaves a resource out, by `--target` or `--exclude`: a step `same` that carries the outputs over, or has
 * nothing to carry. Where the provider was asked, the plan has no outputs yet.
 */
function isLeftOut({ op, old, new: planned }: PlanStep): boolean {
  return op === "same" && (Object.keys(planned?.outputs ?? {}).length > 0 || old?.id === undefined);
}

function removalOf(op: Task["op"], old: PlannedState | undefined, deleted: ReadonlySet<string>): Task["removal"] {
  if (!old || (op !== "delete" && op !== "replace")) return "never";
  if (old.retainOnDelete || (old.deletedWith !== undefined && deleted.has(old.deletedWith))) return "never";
  if (op === "delete") return "last";
  if (old.pendingReplacement) return old.delete ? "never" : "first";
  return "last";
}

function picked(values: Values, isWanted: (name: string) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)));
}
