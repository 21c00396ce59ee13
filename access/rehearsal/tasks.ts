import type { Environment } from "../../provider/core/environment";
import type { Values } from "../../provider/core/unknown";
import { stepOn, type Plan, type PlanStep } from "../plan/plan";
import { shortNameOf } from "../result/urn";
import { withSecretsFrom } from "../plan/plan-values";
import type { PlannedState } from "../plan/planned-state";
import { alreadyDeleted, type Removal } from "../plan/removals";
import { type GrantStep, type Step, withMeaning } from "../plan/steps";
import type { ForeignStep } from "../plan/foreign-steps";
import type { LiveReads } from "../live/access-policies";
import type { HiddenValues } from "../plan/hidden-values";
import type { NewResources } from "../plan/new-resources";
import type { ProviderSettings } from "../plan/provider-settings";
import { plannedGrant, propertiesOf, type DefaultsOf, type PlannedGrant } from "../plan/planned-grant";

/** The inputs of a rehearsal. Messages of its result may contain hidden values: see `HiddenValues.scrubbed`. */
export interface RehearsalRequest {
  plan: Plan;
  /** Of the plan. */
  steps: readonly Step[];
  /** What it creates. */
  created: NewResources;
  /** The resources of the stack's export. Undefined without an export: then unchanged resources may be unknown. */
  state: readonly PlannedState[] | undefined;
  settings: ProviderSettings;
  hidden: HiddenValues;
  /** Environment variables, as the provider reads them. */
  environment: Environment;
  /** The steps of other providers that can change who has access. @default none */
  foreign?: readonly ForeignStep[];
  /** Whether the policies above the resources are read, too. @default true */
  inherited?: boolean;
  /** Whether resources whose grants do not change are reviewed, too. @default false */
  all?: boolean;
  /** Milliseconds for each live request with its retries. @default 15,000 */
  timeout?: number;
  /** For the reviews of several stacks: what they read. */
  live?: LiveReads;
}

/** A resource of the plan, and the action of the update on it. */
export interface Task {
  /**
   * `same`: it stays unchanged. `import`: the stack takes over the resource in the cloud, perhaps in place of `old`. `left
   * out`: it stays unchanged, because `--target` or `--exclude` makes the engine skip it without calling the provider.
   * `other`: a step that a review does not know.
   */
  op: "same" | "import" | "left out" | "create" | "update" | "replace" | "delete" | "other";
  step: GrantStep;
  /** The managed resource before the update; absent for a resource that the stack only read (`get`). */
  old?: PlannedGrant;
  /** The managed resource after the update; absent for a resource that the stack only reads. */
  wanted?: PlannedGrant;
  /** Set when only the state has it: a plan without unchanged resources may omit it. */
  isAssumed?: boolean;
  /** Set for the replacement of a deleted resource after a refresh: the engine may delete it once more, at the end. */
  mayGoAgain?: true;
  /** Set where the engine may not delete `old`: see `Removals.mayBeSkipped`. */
  mayStay?: true;
  /** When `old` is deleted. */
  removal: Exclude<Removal, "with another">;
}

const OPS: ReadonlyMap<string, Task["op"]> = new Map([
  ["same", "same"],
  ["import", "import"],
  ["create", "create"],
  ["create-replacement", "create"],
  ["update", "update"],
  ["replace", "replace"],
  ["import-replacement", "import"],
  ["delete", "delete"],
  ["delete-replaced", "delete"],
]);
/** The actions that make a grant or change it. */
export const WRITES: readonly Task["op"][] = ["create", "replace", "update"];

/** Steps that change only the state. `discard` removes a read resource from it. */
const STATE_ONLY = ["refresh", "remove-pending-replace", "read-discard", "discard", "discard-replaced"];

/** The actions of an update in their order, and the other resources of the state. */
export interface Tasks {
  /** Unchanged resources that the plan does not show, then the steps of the plan. */
  inOrder: Task[];
  /** Deletes, and the old resources of replacements. The engine handles them last, the newest of the state first. */
  last: Task[];
}

/** The resources that a refresh before the steps has read; undefined for those that it has not found. */
function refreshedIn({ steps }: Plan): Map<string, PlannedState | undefined> {
  return new Map(steps.filter(({ op }) => op === "refresh").map(({ urn, new: now }) => [urn, now]));
}

/** The unchanged resources that a plan does not show, as steps. */
export function unchangedIn(plan: Plan, state: readonly PlannedState[] = []): Step[] {
  const refreshed = refreshedIn(plan);
  // With an alias, the old resource has another URN than the new one.
  const planned = new Set(
    plan.steps.filter(({ op }) => op !== "refresh").flatMap(({ urn, old }) => [urn, old?.urn ?? urn]),
  );
  return state
    .filter(({ urn, delete: old, pendingReplacement }) => !planned.has(urn) && !old && !pendingReplacement)
    .flatMap((each) => (refreshed.has(each.urn) ? (refreshed.get(each.urn) ?? []) : each))
    .map((each) => withMeaning({ ...stepOn(each, "same"), new: { ...each, outputs: {} } }));
}

/** @param defaultsOf the default project, region and zone of each provider. */
export function tasksOf(
  { plan, steps, state = [], hidden, foreign = [] }: RehearsalRequest,
  defaultsOf: DefaultsOf,
): Tasks {
  const refreshed = refreshedIn(plan);
  const unchanged = unchangedIn(plan, state);
  const all = [...unchanged, ...steps.filter(({ op }) => !STATE_ONLY.includes(op))];
  const onNew = new Set(foreign.filter((each) => each.isWhole).map(({ step }) => step.urn));
  const inOrder = all
    .flatMap((each) => taskOf(each, { hidden, defaultsOf }))
    .filter(({ step, wanted }) => wanted?.resource !== undefined || !onNew.has(step.urn));
  const wereGone = alreadyDeleted([...refreshed.values()].flatMap((each) => each ?? []));
  for (const task of inOrder) if (task.op === "replace" && wereGone.has(task.step.urn)) task.mayGoAgain = true;
  if (!plan.hasUnchanged && plan.operation === "update") {
    const assumed = new Set(unchanged.map(({ urn }) => urn));
    for (const task of inOrder) if (assumed.has(task.step.urn)) task.isAssumed = true;
  }
  const last = inOrder.filter(({ removal }) => removal === "last");
  return { inOrder, last: inStateOrder(last, state) };
}

/**
 * Sorted with the newest of the state first. Without a state: the old resources of replacements, the last one first, then the
 * deletes.
 */
function inStateOrder(tasks: readonly Task[], state: readonly PlannedState[]): Task[] {
  const at = new Map(state.map(({ urn }, index) => [urn, index]));
  const isReplaced = ({ step }: Task) => step.op !== "delete";
  const placeOf = (task: Task) => at.get(task.old?.state.urn ?? task.step.urn) ?? (isReplaced(task) ? Infinity : -1);
  const replaced = tasks.filter(isReplaced).reverse();
  const deleted = tasks.filter((task) => !isReplaced(task));
  return [...replaced, ...deleted]
    .map((task) => ({ task, place: placeOf(task) }))
    .sort((left, right) => (left.place === right.place ? 0 : right.place - left.place))
    .map(({ task }) => task);
}

/** The task of a step; none for a step that is not on a grant, or on a grant that the stack only reads. */
function taskOf(step: Step, known: { hidden: HiddenValues; defaultsOf: DefaultsOf }): Task[] {
  const { grant, removal, mayBeSkipped } = step;
  const managed = managedOf(step);
  if (!grant || !(managed.old ?? managed.new)) return [];
  const granted = (state: PlannedState, given: Values, owner: "old" | "new") =>
    plannedGrant(grant, state, given, `${owner} ${state.urn}`, known);
  const op = opOf(step);
  // An import takes over the resource that the plan shows, whichever resource it replaces.
  const source = op === "import" ? managed.new : managed.old;
  const old = managed.old && granted(managed.old, propertiesOf(grant, managed.old, true), "old");
  const after = managed.new && propertiesOf(grant, managed.new, op === "import");
  // For an unchanged resource, the values of the program are those of the state.
  const stays = op === "same" || op === "left out" || op === "update" || op === "import";
  const given = stays && after && source ? withSecretsFrom(after, propertiesOf(grant, source, true)) : after;
  const named = managed.new && given && granted(managed.new, given, stays ? "old" : "new");
  // The provider stays where it made the resource, whatever the inputs and its settings name today. A plan does not repeat the id.
  const place = stays && grant.form !== undefined ? old?.resource : undefined;
  const wanted = named && (place === undefined ? named : { ...named, resource: place });
  // Nobody knows which policy the grant is in: `foreignSteps` shows what the step says.
  if (grant.named && [old, wanted].every((each) => each?.resource === undefined)) return [];
  const goes = removal === "with another" ? "never" : removal;
  const mayStay = mayBeSkipped && goes !== "never" ? { mayStay: true as const } : {};
  return [{ op, step: grant, ...(old ? { old } : {}), ...(wanted ? { wanted } : {}), removal: goes, ...mayStay }];
}

/**
 * Whether the engine skips a resource because of `--target` or `--exclude`: such a step `same` keeps the outputs of the state,
 * or has none. When the engine called the provider, the plan has no outputs yet.
 */
function isLeftOut({ op, old, new: planned }: PlanStep): boolean {
  return op === "same" && (Object.keys(planned?.outputs ?? {}).length > 0 || old?.id === undefined);
}

/** The managed states of a step. The stack neither makes nor deletes a resource that it only reads (`get`). */
function managedOf({ old, new: next }: PlanStep): Pick<PlanStep, "old" | "new"> {
  return { ...(old && !old.external ? { old } : {}), ...(next && !next.external ? { new: next } : {}) };
}

function opOf(step: PlanStep): Task["op"] {
  const managed = managedOf(step);
  // The program only reads it from now on. A `read` forgets the managed resource, a `replace` deletes it.
  if (step.op === "read" || (step.op === "replace" && !managed.new)) return "delete";
  if (isLeftOut(step)) return "left out";
  if (step.op !== "replace") return OPS.get(step.op) ?? "other";
  if (isImport(step)) return "import";
  return managed.old ? "replace" : "create";
}

/** Whether a replacement takes over a resource of the cloud: `isImport` in pulumi's step_generator.go. */
function isImport({ old, new: next }: PlanStep): boolean {
  // A program may keep the option `import`. A preview knows the id of a resource that it read, but not of one that it would
  // create.
  if (next?.importId === undefined || next.id === undefined) return false;
  return old?.external === true || (old?.importId ?? old?.id) !== next.importId;
}

/** The name of the resource in its program. */
export function nameOf({ step }: Task): string {
  return shortNameOf(step.urn);
}
