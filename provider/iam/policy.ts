import { isDeepStrictEqual } from "node:util";
import { getOrCompute } from "../core/once";
import { comparableMember, isDeletedFormOf, sameMember } from "./member";

/**
 * Access policies in the format of the API (docs/wire.md section 9), and functions that add, remove and compare grants. Every
 * function is pure, and returns the same object when nothing changes. Other bindings, audit configs and unknown fields keep
 * their order and spelling.
 */

/** The condition of a binding. */
export interface Expr {
  expression?: string;
  title?: string;
  description?: string;
  location?: string;
  [other: string]: unknown;
}

/** The members that have a role, with an optional condition. */
export interface Binding {
  role?: string;
  members?: readonly string[];
  condition?: Expr;
  [other: string]: unknown;
}

export interface Policy {
  /** The version of the format. It is not checked, because `policyToSend` sends only versions that the API accepts. */
  version?: unknown;
  bindings?: readonly Binding[];
  auditConfigs?: readonly unknown[];
  etag?: string;
  [other: string]: unknown;
}

/** A role of one member, with an optional condition. */
export interface Grant {
  role: string;
  member: string;
  condition?: { expression: string; title: string; description?: string };
}

/** The properties that identify a condition; `location` is only for error reports. An empty condition equals no condition. */
function partsOf({ title = "", description = "", expression = "" }: Expr = {}): string[] {
  return [title, description, expression];
}

export function sameCondition(left: Expr | undefined, right: Expr | undefined): boolean {
  return isDeepStrictEqual(partsOf(left), partsOf(right));
}

function isBindingOf(binding: Binding, grant: Grant): boolean {
  return binding.role === grant.role && sameCondition(binding.condition, grant.condition);
}

/** The key of a binding. Bindings with the same role and condition have the same key. */
export function bindingKey({ role = "", condition }: Pick<Binding, "role" | "condition">): string {
  return JSON.stringify([role, ...partsOf(condition)]);
}

export function sameGrant(left: Grant, right: Grant): boolean {
  return (
    left.role === right.role && sameMember(left.member, right.member) && sameCondition(left.condition, right.condition)
  );
}

/** The key of a grant. Equal grants have the same key. */
export function grantKey(grant: Grant): string {
  return JSON.stringify([grant.role, comparableMember(grant.member), ...partsOf(grant.condition)]);
}

export function hasGrant(policy: Policy, grant: Grant): boolean {
  const wanted = comparableMember(grant.member);
  return (policy.bindings ?? []).some(
    (binding) =>
      isBindingOf(binding, grant) && (binding.members ?? []).some((each) => comparableMember(each) === wanted),
  );
}

/**
 * Finds the grant in its current form: unchanged, in the deleted form after its identity was deleted, or in the plain form
 * after that identity was recovered. Returns undefined when the policy has none of these forms.
 */
export function currentFormOf(policy: Policy, grant: Grant): Grant | undefined {
  const all = grantsOf(policy).filter(
    (each) => each.role === grant.role && sameCondition(each.condition, grant.condition),
  );
  return (
    all.find((each) => sameMember(each.member, grant.member)) ??
    all.find((each) => isDeletedFormOf(each.member, grant.member) || isDeletedFormOf(grant.member, each.member))
  );
}

/** The members of these grants by their comparable spelling, for each role and condition. */
function membersByBinding(grants: readonly Grant[]): Map<string, Map<string, Grant>> {
  const all = new Map<string, Map<string, Grant>>();
  for (const grant of grants) {
    const members = getOrCompute(all, bindingKey(grant), () => new Map<string, Grant>());
    members.set(comparableMember(grant.member), grant);
  }
  return all;
}

/** Returns the policy with these grants, each added to the first binding of its role and condition. In linear time. */
export function addGrants(policy: Policy, grants: readonly Grant[]): Policy {
  const bindings = [...(policy.bindings ?? [])];
  const missing = membersByBinding(grants);
  const places = new Map<string, number>();
  for (const [index, binding] of bindings.entries()) {
    const key = bindingKey(binding);
    const wanted = missing.get(key);
    if (!wanted) continue;
    if (!places.has(key)) places.set(key, index);
    for (const member of binding.members ?? []) wanted.delete(comparableMember(member));
  }
  let isChanged = false;
  for (const [key, wanted] of missing) {
    const [first] = wanted.values();
    if (!first) continue;
    isChanged = true;
    const members = [...wanted.values()].map(({ member }) => member);
    const place = places.get(key) ?? -1;
    const binding = bindings[place];
    if (binding) bindings[place] = { ...binding, members: [...(binding.members ?? []), ...members] };
    else bindings.push({ ...bindingOf(first), members });
  }
  return isChanged ? { ...policy, bindings } : policy;
}

export function addGrant(policy: Policy, grant: Grant): Policy {
  return addGrants(policy, [grant]);
}

/**
 * Returns the policy without these grants, in their plain and in their deleted forms. A binding without members is removed too,
 * because the API does not keep it (docs/wire.md section 9).
 */
export function removeGrants(policy: Policy, grants: readonly Grant[]): Policy {
  const gone = membersByBinding(grants);
  let isChanged = false;
  const bindings = (policy.bindings ?? []).flatMap((binding) => {
    const ours = gone.get(bindingKey(binding));
    if (!ours) return [binding];
    const isOurs = (member: string) =>
      ours.has(comparableMember(member)) ||
      (member.startsWith("deleted:") && [...ours.values()].some((each) => isDeletedFormOf(member, each.member)));
    const members = (binding.members ?? []).filter((each) => !isOurs(each));
    if (members.length === (binding.members ?? []).length) return [binding];
    isChanged = true;
    return members.length > 0 ? [{ ...binding, members }] : [];
  });
  return isChanged ? { ...policy, bindings } : policy;
}

export function removeGrant(policy: Policy, grant: Grant): Policy {
  return removeGrants(policy, [grant]);
}

/**
 * Returns the policy with this grant as its only one, for the grant mode `replace` (docs/guides/choosing-a-grant-mode.md).
 * Audit configs and all other parts of the policy stay, because they are not grants.
 */
export function replaceGrants(policy: Policy, grant: Grant): Policy {
  const [first, ...others] = policy.bindings ?? [];
  if (first && others.length === 0 && first.members?.length === 1 && hasGrant(policy, grant)) return policy;
  return { ...policy, bindings: [bindingOf(grant)] };
}

/** A role with all of its members under one condition. */
export interface RoleBinding {
  role: string;
  members: readonly string[];
  condition?: Grant["condition"];
}

/** One grant for each member of a role binding. */
export function grantsOfBinding({ role, members, condition }: RoleBinding): Grant[] {
  return members.map((member) => ({ role, member, ...(condition ? { condition } : {}) }));
}

/** The members of all bindings with this role and condition. */
export function membersOf(policy: Policy, { role, condition }: Pick<RoleBinding, "role" | "condition">): string[] {
  const key = bindingKey({ role, ...(condition ? { condition } : {}) });
  return (policy.bindings ?? []).filter((each) => bindingKey(each) === key).flatMap(({ members = [] }) => members);
}

/** The roles of a policy with all of their members, each role once under each condition. */
export function bindingsIn(policy: Policy): RoleBinding[] {
  const all = new Map(grantsOf(policy).map((grant) => [bindingKey(grant), grant]));
  return [...all.values()].map(({ role, condition }) => {
    const binding = { role, ...(condition ? { condition } : {}) };
    return { ...binding, members: membersOf(policy, binding) };
  });
}

export function sameMembers(left: readonly string[], right: readonly string[]): boolean {
  const [one, other] = [left, right].map((members) => [...new Set(members.map(comparableMember))].sort());
  return isDeepStrictEqual(one, other);
}

/**
 * Returns the policy in which exactly these members have the role under the condition. Members that stay keep their place and
 * spelling. Other bindings stay as they are.
 */
export function setMembers(policy: Policy, wanted: RoleBinding): Policy {
  const { role, members, condition } = wanted;
  const held = membersOf(policy, wanted);
  const key = bindingKey({ role, ...(condition ? { condition } : {}) });
  const ours = (policy.bindings ?? []).filter((each) => bindingKey(each) === key);
  const isWhole = ours.length <= 1 && held.length === new Set(held.map(comparableMember)).size;
  if (isWhole && sameMembers(held, members)) return policy;
  const spelled = new Map([...members, ...held].map((each) => [comparableMember(each), each]));
  const keys = new Set(members.map(comparableMember));
  const before = [...new Set(held.map(comparableMember))].filter((each) => keys.has(each));
  const all = [...new Set([...before, ...keys])].map((each) => spelled.get(each) ?? each);
  const [first] = ours;
  const set: Binding = { ...(first ?? { role, ...(condition ? { condition: { ...condition } } : {}) }), members: all };
  const bindings = (policy.bindings ?? []).flatMap((each) =>
    each === first ? [set] : bindingKey(each) === key ? [] : [each],
  );
  return { ...policy, bindings: first ? bindings : [...bindings, set] };
}

function bindingOf(grant: Grant): Binding {
  return {
    role: grant.role,
    members: [grant.member],
    ...(grant.condition ? { condition: { ...grant.condition } } : {}),
  };
}

export function hasConditions(policy: Policy): boolean {
  return (policy.bindings ?? []).some((binding) => binding.condition !== undefined);
}

/** Policy formats that the API accepts in a write (docs/wire.md section 9). */
const WRITABLE_VERSIONS: readonly unknown[] = [0, 1, 3];

/**
 * Returns the policy to send for changing one policy into another. It has the etag of the read, so the API refuses to
 * overwrite a concurrent change. Version 3 is required when either policy has a condition (docs/wire.md section 9).
 * Otherwise the version of the read is sent, if the API accepts it.
 */
export function policyToSend(read: Policy, changed: Policy): Policy {
  const conditional = hasConditions(read) || hasConditions(changed);
  const version = WRITABLE_VERSIONS.includes(read.version) ? read.version : 1;
  return { ...changed, version: conditional ? 3 : version, ...(read.etag ? { etag: read.etag } : {}) };
}

/** Returns one grant for each member of each binding. */
export function grantsOf(policy: Policy): Grant[] {
  return (policy.bindings ?? []).flatMap((binding) =>
    (binding.members ?? []).map((member) => ({
      role: binding.role ?? "",
      member,
      ...(binding.condition
        ? {
            condition: {
              expression: binding.condition.expression ?? "",
              title: binding.condition.title ?? "",
              ...(binding.condition.description ? { description: binding.condition.description } : {}),
            },
          }
        : {}),
    })),
  );
}

/** What changed between two policies: each grant once, in the order of its policy. */
export interface AccessChange {
  /** Only the later policy has them. */
  gained: Grant[];
  /** Only the earlier policy has them. */
  lost: Grant[];
  /** Both have them, as the later one spells them. */
  kept: Grant[];
}

export function accessChange(before: Policy, after: Policy): AccessChange {
  const held = byKey(before);
  const wanted = byKey(after);
  return {
    gained: [...wanted].filter(([key]) => !held.has(key)).map(([, grant]) => grant),
    lost: [...held].filter(([key]) => !wanted.has(key)).map(([, grant]) => grant),
    kept: [...wanted].filter(([key]) => held.has(key)).map(([, grant]) => grant),
  };
}

/** The grants of a policy, each once. */
export function distinctGrants(policy: Policy): Grant[] {
  return [...byKey(policy).values()];
}

function byKey(policy: Policy): Map<string, Grant> {
  return new Map(grantsOf(policy).map((grant) => [grantKey(grant), grant]));
}
