import { bindingKey } from "../../provider/iam/policy";
import { ownershipOf } from "../plan/grant-steps";
import type { PlannedGrant } from "../plan/planned-grant";
import type { PolicyRecord } from "../live/policy-record";
import type { PolicyRecords } from "../live/policy-records";
import { nameOf, type Task, type Tasks } from "./tasks";

/** A resource after the update that declares grants in a policy. */
interface Declared {
  task: Task;
  wanted: PlannedGrant;
  owns: ReturnType<typeof ownershipOf>;
  /** The roles with their conditions. */
  roles: ReadonlyMap<string, string>;
}

/**
 * Warnings about roles that two resources declare, one of which owns the role and belongs to another provider: each update of
 * the owner takes the role from all that it does not name. (This provider refuses two owners among its own resources.)
 */
export function ownerNotes({ inOrder }: Tasks, records: PolicyRecords): string[] {
  const byPolicy = new Map<PolicyRecord, Declared[]>();
  for (const task of inOrder) {
    const { wanted } = task;
    const record = wanted && records.of(wanted);
    if (wanted && record) byPolicy.set(record, [...(byPolicy.get(record) ?? []), declared(task, wanted)]);
  }
  return [...byPolicy].flatMap(([record, all]) =>
    all.flatMap((owner) => {
      const others = all.filter((other) => conflicts(owner, other));
      return others.length === 0 ? [] : [sentence(record, owner, others)];
    }),
  );
}

function declared(task: Task, wanted: PlannedGrant): Declared {
  const roles = new Map(wanted.grants.map((grant) => [bindingKey(grant), grant.role]));
  return { task, wanted, owns: ownershipOf(wanted.step), roles };
}

function conflicts(owner: Declared, other: Declared): boolean {
  if (owner === other || owner.owns === "nothing") return false;
  if (owner.wanted.step.form === undefined && other.wanted.step.form === undefined) return false;
  // A pair of owners is named once.
  if (owner.owns === other.owns && nameOf(owner.task) > nameOf(other.task)) return false;
  return owner.owns === "policy" || [...owner.roles.keys()].some((key) => other.roles.has(key));
}

function sentence({ resource }: PolicyRecord, owner: Declared, others: readonly Declared[]): string {
  const named = ({ task }: Declared) => `${nameOf(task)} (${task.step.step.type})`;
  const roles = [...new Set(others.flatMap((other) => [...owner.roles].filter(([key]) => other.roles.has(key))))];
  const what =
    owner.owns === "policy" ? "the whole access policy" : [...new Set(roles.map(([, role]) => role))].join(", ");
  return (
    `${named(owner)} owns ${what} of ${resource}, and ${others.map(named).join(", ")} also writes it: each update of ` +
    `${nameOf(owner.task)} removes what it does not name. Declare it in one place`
  );
}
