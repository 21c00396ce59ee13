import { isDeepStrictEqual } from "node:util";
import { comparableMember, isDeletedFormOf, sameMember } from "./member";

/**
 * Access policies as they are on the wire (wire reference section 9), and the arithmetic of grants on them. Every
 * function is pure and returns the very object it got when nothing changes. What this code does not know (other
 * bindings, audit configs, fields of tomorrow) passes through untouched, in its own order and spelling.
 */

export interface Expr {
  expression?: string;
  title?: string;
  description?: string;
  location?: string;
  [other: string]: unknown;
}

export interface Binding {
  role?: string;
  members?: readonly string[];
  condition?: Expr;
  [other: string]: unknown;
}

export interface Policy {
  version?: number;
  bindings?: readonly Binding[];
  auditConfigs?: readonly unknown[];
  etag?: string;
  [other: string]: unknown;
}

/** One member holding one role, perhaps under a condition. */
export interface Grant {
  role: string;
  member: string;
  condition?: { expression: string; title: string; description?: string };
}

/** Conditions are told apart by these three; `location` is only for error reports. */
export function sameCondition(left: Expr | undefined, right: Expr | undefined): boolean {
  const parts = (expr: Expr | undefined) => [expr?.title ?? "", expr?.description ?? "", expr?.expression ?? ""];
  return isDeepStrictEqual(parts(left), parts(right));
}

function isBindingOf(binding: Binding, grant: Grant): boolean {
  return binding.role === grant.role && sameCondition(binding.condition, grant.condition);
}

export function sameGrant(left: Grant, right: Grant): boolean {
  return (
    left.role === right.role && sameMember(left.member, right.member) && sameCondition(left.condition, right.condition)
  );
}

/** Two grants are the same exactly where their keys are. */
export function grantKey(grant: Grant): string {
  const { title = "", description = "", expression = "" } = grant.condition ?? {};
  return JSON.stringify([grant.role, comparableMember(grant.member), title, description, expression]);
}

export function hasGrant(policy: Policy, grant: Grant): boolean {
  return (policy.bindings ?? []).some(
    (binding) => isBindingOf(binding, grant) && (binding.members ?? []).some((each) => sameMember(each, grant.member)),
  );
}

/** The policy with the member in the binding of the grant's role and condition. */
export function addGrant(policy: Policy, grant: Grant): Policy {
  if (hasGrant(policy, grant)) return policy;
  const bindings = policy.bindings ?? [];
  const at = bindings.findIndex((binding) => isBindingOf(binding, grant));
  if (at < 0) return { ...policy, bindings: [...bindings, bindingOf(grant)] };
  const binding = bindings[at] as Binding;
  return {
    ...policy,
    bindings: bindings.with(at, { ...binding, members: [...(binding.members ?? []), grant.member] }),
  };
}

/**
 * True where the policy holds the grant of an identity of this name that was deleted: nobody has access by it, but it
 * stays in the policy, counts against the limits, and becomes the grant again when the identity is recovered.
 */
export function hasDeletedForm(policy: Policy, grant: Grant): boolean {
  return (policy.bindings ?? []).some(
    (binding) =>
      isBindingOf(binding, grant) && (binding.members ?? []).some((each) => isDeletedFormOf(each, grant.member)),
  );
}

/**
 * The grant as the policy has it now: as it was given, in the form that the server made of it when its identity was
 * deleted, or in the living form again since that identity was recovered. Undefined where the policy has none of them.
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

/** The policy with all of these grants, none of which it holds; looks at each binding and each grant once. */
export function addGrants(policy: Policy, grants: readonly Grant[]): Policy {
  if (grants.length === 0) return policy;
  const bindings = (policy.bindings ?? []).map((binding) => ({ ...binding, members: [...(binding.members ?? [])] }));
  const byKey = new Map(bindings.map((binding) => [bindingKey(binding.role ?? "", binding.condition), binding]));
  for (const grant of grants) {
    const key = bindingKey(grant.role, grant.condition);
    const binding = byKey.get(key);
    if (binding) {
      binding.members.push(grant.member);
    } else {
      const added = { ...bindingOf(grant), members: [grant.member] };
      byKey.set(key, added);
      bindings.push(added);
    }
  }
  return { ...policy, bindings };
}

function bindingKey(role: string, { title = "", description = "", expression = "" }: Expr = {}): string {
  return JSON.stringify([role, title, description, expression]);
}

/**
 * The policy without this member in this role and condition, and without what the server made of it when its identity
 * was deleted; a binding that loses its last member goes too.
 */
export function removeGrant(policy: Policy, grant: Grant): Policy {
  if (!hasGrant(policy, grant) && !hasDeletedForm(policy, grant)) return policy;
  const isOurs = (member: string) => sameMember(member, grant.member) || isDeletedFormOf(member, grant.member);
  const bindings = (policy.bindings ?? []).flatMap((binding) => {
    if (!isBindingOf(binding, grant)) return [binding];
    const members = (binding.members ?? []).filter((each) => !isOurs(each));
    if (members.length === (binding.members ?? []).length) return [binding];
    return members.length > 0 ? [{ ...binding, members }] : [];
  });
  return { ...policy, bindings };
}

/**
 * The policy with this grant as its only one: the interface's "replace any existing policy" (spec section 4, rule 4).
 * Audit configs are no grants; they and whatever else the policy holds stay.
 */
export function replaceGrants(policy: Policy, grant: Grant): Policy {
  const [first, ...others] = policy.bindings ?? [];
  if (first && others.length === 0 && first.members?.length === 1 && hasGrant(policy, grant)) return policy;
  return { ...policy, bindings: [bindingOf(grant)] };
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

/** Policy formats that the API accepts in a write (spec section 2.4). */
const WRITABLE_VERSIONS: readonly unknown[] = [0, 1, 3];

/**
 * What to send for a change from one policy to another: the etag that was read, and version 3 wherever a condition is
 * or was in play (spec section 2.4), else the version that was read, if the API takes it back.
 */
export function policyToSend(read: Policy, changed: Policy): Policy {
  const conditional = hasConditions(read) || hasConditions(changed);
  const version = WRITABLE_VERSIONS.includes(read.version) ? read.version : 1;
  return { ...changed, version: conditional ? 3 : version, ...(read.etag ? { etag: read.etag } : {}) };
}

/** Every single grant of a policy, a member in several bindings as often as it occurs. */
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

/** Who gains and who loses what when a policy becomes another. */
export function accessChange(before: Policy, after: Policy): { gained: Grant[]; lost: Grant[] } {
  const held = new Map(grantsOf(before).map((grant) => [grantKey(grant), grant]));
  const wanted = new Map(grantsOf(after).map((grant) => [grantKey(grant), grant]));
  return {
    gained: [...wanted].filter(([key]) => !held.has(key)).map(([, grant]) => grant),
    lost: [...held].filter(([key]) => !wanted.has(key)).map(([, grant]) => grant),
  };
}
