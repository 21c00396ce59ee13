import { getOrCompute } from "../../provider/core/once";
import { bindingKey, grantKey } from "../../provider/iam/policy";
import { grantKindOf } from "../plan/grant-kinds";
import { hasGrantMode, ownershipOf } from "../plan/grant-steps";
import { andMore } from "../result/visible";
import type { PlannedState } from "../plan/planned-state";
import { urnOf } from "../plan/provider-settings";
import { policyOutcome } from "../changes/outcome";
import type { PolicyRecord } from "../live/policy-record";
import type { PolicyRecords } from "../live/policy-records";
import type { PolicyCopy } from "../live/policy-copies";
import type { StackClouds } from "../live/clouds";
import type { PlannedGrant } from "../plan/planned-grant";
import { nameOf, type RehearsalRequest, type Task, type Tasks } from "./tasks";

/** A step that writes an access policy. */
interface Writer {
  task: Task;
  /** The provider process; undefined for google-native, whose steps are independent of each other. */
  provider: string | undefined;
  /** Whether the step writes the whole policy. */
  replaces: boolean;
  /** The roles with their conditions of which the step removes all other members. */
  owns: readonly string[];
  /** The roles with their conditions that the step changes. */
  roles: readonly string[];
  grants: string;
}

/** Carries out the tasks in another order, and returns the policy of a grant after it. */
export type InAnotherOrder = (tasks: Tasks, grant: PlannedGrant) => Promise<PolicyCopy | undefined>;

/** More orders would take long, and the message only names some outcomes. */
const MOST_ORDERS = 8;
const MOST_OUTCOMES = 3;

/**
 * Notes each policy whose result depends on the order of the engine's steps: several providers write the policy, and one of them
 * replaces it, or removes the other members of a role. The order is known only when one step depends on the other. The note
 * names the outcomes that only another order has: each of the steps may be the last.
 */
export async function noteRaces(
  request: RehearsalRequest,
  tasks: Tasks,
  records: PolicyRecords,
  inAnotherOrder: InAnotherOrder,
): Promise<void> {
  const writers = new Map<PolicyRecord, Writer[]>();
  for (const task of tasks.inOrder) {
    const { op, wanted } = task;
    const writes = op === "create" || op === "replace" || op === "update";
    const record = wanted && writes ? records.of(wanted) : undefined;
    if (!wanted || !record) continue;
    getOrCompute(writers, record, (): Writer[] => []).push(writerOf(task, wanted, records.clouds));
  }
  const order = new DependencyOrder(request);
  for (const [record, all] of writers) {
    const racing = all.filter((one) => all.some((other) => isRace(one, other, order)));
    if (racing.length === 0) continue;
    const known = new Set(outcomesOf(record.options.policy));
    const others = new Set<string>();
    for (const { task } of racing.slice(0, MOST_ORDERS)) {
      if (!task.wanted) continue;
      const policy = await inAnotherOrder(order.endingWith(task, tasks), task.wanted);
      for (const each of outcomesOf(policy)) if (!known.has(each)) others.add(each);
    }
    record.noteUnknown({ code: "no order", message: messageOf(racing) + otherwise([...others].sort()) });
  }
}

/** Who loses and who gains access, as clauses. */
function outcomesOf(policy: PolicyCopy | undefined): string[] {
  const changes = policy ? policyOutcome(policy.live, policy.current).changes : [];
  const verbs = { lost: "loses", gained: "gains", condition: "has another condition for" };
  return changes.map(({ change, grant: { member, role } }) => `${member} ${verbs[change]} ${role}`);
}

function otherwise(outcomes: readonly string[]): string {
  if (outcomes.length === 0) return "";
  return `. In another order, ${listed(outcomes.slice(0, MOST_OUTCOMES))}${andMore(outcomes.length - MOST_OUTCOMES)}`;
}

function writerOf(task: Task, wanted: PlannedGrant, clouds: StackClouds): Writer {
  const { step } = wanted;
  const grants = JSON.stringify(
    [...wanted.grants, ...(task.op === "update" ? (task.old?.grants ?? []) : [])].map(grantKey),
  );
  const roles = [...new Set(wanted.grants.map(bindingKey))];
  const owned = ownershipOf(step);
  const common = { task, grants, roles, owns: owned === "role" ? roles : [] };
  if (step.form !== undefined) {
    return { ...common, provider: undefined, replaces: owned === "policy" };
  }
  const cloud = clouds.of(step.step);
  const { grantMode } = cloud.grantSettings(grantKindOf(step.token).definition.service);
  const replaces = hasGrantMode(step) && grantMode.value === "replace";
  return { ...common, provider: `${step.front} ${cloud.settings.key}`, replaces };
}

function isRace(one: Writer, other: Writer, order: DependencyOrder): boolean {
  if (one === other || one.grants === other.grants) return false;
  if (!(one.replaces || other.replaces || isInRole(one, other) || isInRole(other, one))) return false;
  if (one.provider !== undefined && one.provider === other.provider) return false;
  return !order.isKnown(one.task.step.step.urn, other.task.step.step.urn);
}

/** Whether one step removes what the other makes in the same role. */
function isInRole({ owns }: Writer, { roles }: Writer): boolean {
  return owns.some((each) => roles.includes(each));
}

/** Sorted, because the engine lists steps of independent resources in any order. */
function messageOf(racing: readonly Writer[]): string {
  const names = (replaces: boolean) =>
    racing
      .filter((each) => each.replaces === replaces)
      .map(({ task }) => nameOf(task))
      .sort();
  const [replacing, adding] = [names(true), names(false)];
  if (replacing.length === 0) {
    return (
      `It is unknown who has access after the update: ${listed(adding)} write one role, of which one of them removes all other ` +
      "members, and the plan does not show their order. Make one depend on the other (dependsOn)"
    );
  }
  const each = replacing.length > 1 ? "each replace" : "replaces";
  const others = adding.length > 0 ? `, ${listed(adding)} ${adding.length > 1 ? "add" : "adds"} to it` : "";
  return (
    `It is unknown who has access after the update: ${listed(replacing)} ${each} the whole access policy${others}, and the plan ` +
    'does not show their order. Use grantMode "merge", or make one depend on the other (dependsOn)'
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
    const urn = last.step.step.urn;
    const isAfter = (task: Task) => task === last || this.reaches(task.step.step.urn, urn);
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
