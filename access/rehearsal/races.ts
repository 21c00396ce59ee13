import { getOrCompute } from "../../provider/core/once";
import { bindingKey, grantKey } from "../../provider/iam/policy";
import { ownershipOf } from "../plan/steps";
import { isSameSet } from "../result/order";
import { andMore } from "../result/visible";
import type { PlannedState } from "../plan/planned-state";
import { urnOf } from "../plan/provider-settings";
import type { AccessPolicies } from "../live/access-policies";
import type { AccessPolicy } from "../live/access-policy";
import type { StackClouds } from "../live/clouds";
import type { PlannedGrant } from "../plan/planned-grant";
import { ownedBy } from "./claims";
import { nameOf, WRITES, type RehearsalRequest, type Task, type Tasks } from "./tasks";

/** A step that writes an access policy before the deletes at the end of the update. */
interface Writer {
  task: Task;
  /** The provider process of this provider's steps, which settles their order itself; undefined for other providers. */
  provider: string | undefined;
  /** Whether the step writes the whole policy. */
  replaces: boolean;
  /** The roles with their conditions of which the step removes all other members. */
  owns: ReadonlySet<string>;
  /** The roles with their conditions that the step gives. */
  roles: ReadonlySet<string>;
  /** The grants that it makes, and those that it removes: the delete before a replacement, and an update. */
  makes: ReadonlySet<string>;
  removes: ReadonlySet<string>;
}

/** More orders would take long, and the message only names some outcomes. */
const MOST_ORDERS = 8;
const MOST_OUTCOMES = 3;

/**
 * Notes each policy whose result depends on the order of the engine's steps: one step removes what another one makes, because it
 * replaces the policy, owns a role, or removes the same grant. The order is known only when one step depends on the other, and
 * among the steps of one process of this provider. The deletes at the end are after all of them. The note names the outcomes that
 * only another order has: each of the steps may be the last.
 *
 * @param outcome the policy after its tasks, as if they were carried out in another order.
 */
export async function noteRaces(
  request: RehearsalRequest,
  tasks: Tasks,
  policies: AccessPolicies,
  outcome: (tasks: Tasks, policy: AccessPolicy) => Promise<AccessPolicy>,
): Promise<void> {
  const writers = new Map<AccessPolicy, Writer[]>();
  const tasksOn = new Map<AccessPolicy, Set<Task>>();
  for (const task of tasks.inOrder) {
    const placed = [task.old, task.wanted].map((grant) => grant && policies.of(grant));
    for (const policy of placed) if (policy) getOrCompute(tasksOn, policy, () => new Set<Task>()).add(task);
    const [before, after] = placed;
    const goes = task.removal === "first" && before ? task.old : undefined;
    const comes = WRITES.includes(task.op) && after ? task.wanted : undefined;
    const note = (policy: AccessPolicy | undefined, gone?: PlannedGrant, made?: PlannedGrant) => {
      if (!policy || !(gone ?? made)) return;
      getOrCompute(writers, policy, (): Writer[] => []).push(writerOf(task, gone, made, policies.clouds));
    };
    if (before === after) note(after, goes, comes);
    else {
      note(before, goes);
      note(after, undefined, comes);
    }
  }
  const order = new DependencyOrder(request);
  const lastAt = new Map(tasks.last.map((task, index) => [task, index]));
  const byPlaceAtEnd = (one: Task, other: Task) => (lastAt.get(one) ?? 0) - (lastAt.get(other) ?? 0);
  for (const [policy, all] of writers) {
    const { racing, kind } = racesAmong(all, order);
    if (racing.length === 0) continue;
    const inOrder = [...(tasksOn.get(policy) ?? [])];
    const last = inOrder.filter((task) => lastAt.has(task)).sort(byPlaceAtEnd);
    const known = new Set(outcomesOf(policy));
    const others = new Set<string>();
    for (const { task } of racing.slice(0, MOST_ORDERS)) {
      const other = await outcome(order.endingWith(task, { inOrder, last }), policy);
      for (const each of outcomesOf(other)) if (!known.has(each)) others.add(each);
    }
    const outcomes = [...others].sort();
    const more = andMore(outcomes.length - MOST_OUTCOMES);
    const otherwise = `. In another order, ${listed(outcomes.slice(0, MOST_OUTCOMES))}${more}`;
    const message = messageOf(racing, kind) + (outcomes.length === 0 ? "" : otherwise);
    policy.noteUnknown({ code: "no order", message });
  }
}

/** Who loses and who gains access, as clauses. */
function outcomesOf({ outcome: { changes } }: AccessPolicy): string[] {
  const verbs = { lost: "loses", gained: "gains", condition: "has another condition for" };
  return changes.map(({ change, grant: { member, role } }) => `${member} ${verbs[change]} ${role}`);
}

/**
 * @param gone what the step deletes before it makes anything.
 * @param made what it makes, or leaves after an update.
 */
function writerOf(
  task: Task,
  gone: PlannedGrant | undefined,
  made: PlannedGrant | undefined,
  clouds: StackClouds,
): Writer {
  const roles = new Set(made?.grants.map(bindingKey));
  const makes = new Set(made?.grants.map(grantKey));
  const left = task.op === "update" ? task.old?.grants : gone?.grants;
  const removes = (left ?? []).map(grantKey).filter((key) => gone !== undefined || !makes.has(key));
  const owned = [gone, made].filter((each) => each !== undefined && ownershipOf(each.step) === "role");
  // The old resource may have another provider than the new one.
  const { step } = made ?? gone ?? task;
  const isOwn = step.form === undefined;
  // Of this provider, a delete removes one grant, in each mode.
  const writes = isOwn ? [made] : [gone, made];
  return {
    task,
    roles,
    makes,
    removes: new Set(removes),
    owns: new Set(owned.flatMap((each) => each?.grants.map(bindingKey) ?? [])),
    provider: isOwn ? `${step.front} ${clouds.of(step).settings.key}` : undefined,
    replaces: writes.some((each) => each && ownedBy(each, clouds) === "policy"),
  };
}

/** The reason why the order of two steps matters. */
type RaceKind = "policy" | "role" | "grant";

/** The writers of which another one removes what they make, or that do so. */
function racesAmong(all: readonly Writer[], order: DependencyOrder): { racing: Writer[]; kind: RaceKind } {
  const index = (keysOf: (writer: Writer) => ReadonlySet<string>) => {
    const found = new Map<string, Writer[]>();
    for (const each of all) for (const key of keysOf(each)) getOrCompute(found, key, (): Writer[] => []).push(each);
    return (keys: ReadonlySet<string>) => [...keys].flatMap((key) => found.get(key) ?? []);
  };
  const [byRole, byGrant] = [index(({ roles }) => roles), index(({ makes }) => makes)];
  const makers = all.filter(({ makes }) => makes.size > 0);
  const racing = new Set<Writer>();
  const kinds = new Set<RaceKind>();
  for (const one of all) {
    const races = (kind: RaceKind, others: readonly Writer[]) => {
      for (const other of others.filter((each) => isUnordered(one, each, order))) {
        racing.add(one).add(other);
        kinds.add(kind);
      }
    };
    // The delete of a policy fails if any other step has changed it.
    if (one.replaces) races("policy", one.removes.size > 0 ? all : makers);
    if (one.owns.size > 0) races("role", byRole(one.owns));
    races("grant", byGrant(one.removes));
  }
  const kind = (["policy", "role"] as const).find((each) => kinds.has(each)) ?? "grant";
  return { racing: all.filter((each) => racing.has(each)), kind };
}

/** Whether one step may come before or after the other, and the result is not the same. */
function isUnordered(one: Writer, other: Writer, order: DependencyOrder): boolean {
  if (one.task === other.task) return false;
  if (one.removes.size + other.removes.size === 0 && isSameSet(one.makes, other.makes)) return false;
  if (one.provider !== undefined && one.provider === other.provider) return false;
  return !order.isKnown(one.task.step.urn, other.task.step.urn);
}

/** Sorted, because the engine lists steps of independent resources in any order. */
function messageOf(racing: readonly Writer[], kind: RaceKind): string {
  const names = (replaces: boolean) =>
    racing
      .filter((each) => each.replaces === replaces)
      .map(({ task }) => nameOf(task))
      .sort();
  const [replacing, adding] = [names(true), names(false)];
  if (kind !== "policy") {
    const what =
      kind === "role"
        ? "write one role, of which one of them removes all other members"
        : "write one grant, which one of them removes and another makes";
    return (
      `It is unknown who has access after the update: ${listed([...replacing, ...adding].sort())} ${what}, and the plan does not ` +
      "show their order. Make one depend on the other (dependsOn)"
    );
  }
  const each = replacing.length > 1 ? "each replace" : "replaces";
  const others = adding.length > 0 ? `, ${listed(adding)} ${adding.length > 1 ? "add" : "adds"} to it` : "";
  const isOwn = racing.some(({ replaces, provider }) => replaces && provider !== undefined);
  const what = isOwn ? 'Use grantMode "merge", or make' : "Make";
  return (
    `It is unknown who has access after the update: ${listed(replacing)} ${each} the whole access policy${others}, and the plan ` +
    `does not show their order. ${what} one depend on the other (dependsOn)`
  );
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** The order in which the engine makes resources. */
class DependencyOrder {
  private readonly direct: ReadonlyMap<string, readonly string[]>;

  constructor({ plan, state = [] }: RehearsalRequest) {
    const planned = plan.steps.flatMap(({ new: wanted }) => wanted ?? []);
    this.direct = new Map([...state, ...planned].map((each) => [each.urn, dependenciesOf(each)]));
  }

  isKnown(one: string, other: string): boolean {
    return this.reaches(one, other) || this.reaches(other, one);
  }

  /** The tasks with this one last, and after it only those that depend on it. */
  endingWith(last: Task, tasks: Tasks): Tasks {
    const urn = last.step.urn;
    const isAfter = (task: Task) => task === last || this.reaches(task.step.urn, urn);
    const rest = tasks.inOrder.filter((task) => !isAfter(task));
    return { ...tasks, inOrder: [...rest, last, ...tasks.inOrder.filter((task) => task !== last && isAfter(task))] };
  }

  private reaches(from: string, to: string): boolean {
    const seen = new Set<string>();
    const open = [from];
    for (let urn = open.pop(); urn !== undefined; urn = open.pop()) {
      if (urn === to) return true;
      if (seen.has(urn)) continue;
      seen.add(urn);
      open.push(...(this.direct.get(urn) ?? []));
    }
    return false;
  }
}

function dependenciesOf({ dependencies = [], parent, provider }: PlannedState): string[] {
  const ofProvider = provider === undefined ? undefined : urnOf(provider);
  return [...dependencies, parent, ofProvider].filter((each) => each !== undefined);
}
