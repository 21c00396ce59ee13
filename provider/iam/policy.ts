import { isDeepStrictEqual } from "node:util";
import { comparableMember, isDeletedFormOf, sameMember } from "./member";

/**
 * Access policies as they are on the wire (docs/wire.md section 9), and the arithmetic of grants on them. Every
 * function is pure, and where nothing changes it returns the very object that it got. What this code does not know (other
 * bindings, audit configs, fields of tomorrow) passes through untouched, in its own order and spelling.
 */

/** The condition of a binding. */
export interface Expr {
  expression?: string;
  title?: string;
  description?: string;
  location?: string;
  [other: string]: unknown;
}

/** The members that hold a role, perhaps under a condition. */
export interface Binding {
  role?: string;
  members?: readonly string[];
  condition?: Expr;
  [other: string]: unknown;
}

export interface Policy {
  /** The format. Unchecked, since `policyToSend` sends back only what the API accepts. */
  version?: unknown;
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

/** What tells one condition from another; `location` is only for error reports. No condition is the same as an empty one. */
function partsOf({ title = "", description = "", expression = "" }: Expr = {}): string[] {
  return [title, description, expression];
}

export function sameCondition(left: Expr | undefined, right: Expr | undefined): boolean {
  return isDeepStrictEqual(partsOf(left), partsOf(right));
}

function isBindingOf(binding: Binding, grant: Grant): boolean {
  return binding.role === grant.role && sameCondition(binding.condition, grant.condition);
}

/** Two bindings are of the same role and condition exactly where their keys are the same. */
function bindingKey({ role = "", condition }: Pick<Binding, "role" | "condition">): string {
  return JSON.stringify([role, ...partsOf(condition)]);
}

export function sameGrant(left: Grant, right: Grant): boolean {
  return (
    left.role === right.role && sameMember(left.member, right.member) && sameCondition(left.condition, right.condition)
  );
}

/** Two grants are the same exactly where their keys are. */
export function grantKey(grant: Grant): string {
  return JSON.stringify([grant.role, comparableMember(grant.member), ...partsOf(grant.condition)]);
}

/** The grant of a key, its member in the spelling that `comparableMember` gives. */
export function grantOfKey(key: string): Grant {
  const [role, member, title, description, expression] = JSON.parse(key) as [string, string, string, string, string];
  const isConditional = [title, description, expression].some((each) => each !== "");
  return { role, member, ...(isConditional ? { condition: { title, description, expression } } : {}) };
}

export function hasGrant(policy: Policy, grant: Grant): boolean {
  const wanted = comparableMember(grant.member);
  return (policy.bindings ?? []).some(
    (binding) =>
      isBindingOf(binding, grant) && (binding.members ?? []).some((each) => comparableMember(each) === wanted),
  );
}

/** The policy with the member in the binding of the grant's role and condition. */
export function addGrant(policy: Policy, grant: Grant): Policy {
  if (hasGrant(policy, grant)) return policy;
  const bindings = policy.bindings ?? [];
  const at = bindings.findIndex((binding) => isBindingOf(binding, grant));
  const binding = bindings[at];
  if (!binding) return { ...policy, bindings: [...bindings, bindingOf(grant)] };
  return {
    ...policy,
    bindings: bindings.with(at, { ...binding, members: [...(binding.members ?? []), grant.member] }),
  };
}

/**
 * Whether the policy holds this grant in the form that the server gave it when its identity was deleted. It gives no
 * access, but it stays in the policy, counts against the limits, and becomes the grant again if the identity is recovered.
 */
export function hasDeletedForm(policy: Policy, grant: Grant): boolean {
  return (policy.bindings ?? []).some(
    (binding) =>
      isBindingOf(binding, grant) && (binding.members ?? []).some((each) => isDeletedFormOf(each, grant.member)),
  );
}

/**
 * The grant in the form that the policy has now: as it was given; in the deleted form, since its identity was deleted; or
 * in the plain form again, since that identity was recovered. Undefined where the policy has none of them.
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

/**
 * The policy with all of these grants added, in linear time.
 *
 * @param grants the policy must hold none of them.
 */
export function addGrants(policy: Policy, grants: readonly Grant[]): Policy {
  if (grants.length === 0) return policy;
  const bindings = (policy.bindings ?? []).map((binding) => ({ ...binding, members: [...(binding.members ?? [])] }));
  const byKey = new Map(bindings.map((binding) => [bindingKey(binding), binding]));
  for (const grant of grants) {
    const key = bindingKey(grant);
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

/**
 * The policy without this grant, in its plain and in its deleted form. A binding that loses its last member goes, since the
 * API demands at least one in each (docs/wire.md section 9).
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
 * The policy with this grant as its only one: "replace any existing policy" (specification section 4, rule 4). Audit
 * configs are no grants, so that they stay, like whatever else the policy holds.
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

/** Policy formats that the API accepts in a write (specification section 2.4). */
const WRITABLE_VERSIONS: readonly unknown[] = [0, 1, 3];

/**
 * What to send to change one policy into another. With the etag that was read, the API refuses to overwrite a change by
 * somebody else. Version 3 is required where either policy has a condition (specification section 2.4); else the version
 * that was read is sent back, if the API accepts it.
 */
export function policyToSend(read: Policy, changed: Policy): Policy {
  const conditional = hasConditions(read) || hasConditions(changed);
  const version = WRITABLE_VERSIONS.includes(read.version) ? read.version : 1;
  return { ...changed, version: conditional ? 3 : version, ...(read.etag ? { etag: read.etag } : {}) };
}

/** Each member of each binding as a grant of its own. */
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

/** The grants that are new in the later policy, and those that are gone from it. */
export function accessChange(before: Policy, after: Policy): { gained: Grant[]; lost: Grant[] } {
  const held = new Map(grantsOf(before).map((grant) => [grantKey(grant), grant]));
  const wanted = new Map(grantsOf(after).map((grant) => [grantKey(grant), grant]));
  return {
    gained: [...wanted].filter(([key]) => !held.has(key)).map(([, grant]) => grant),
    lost: [...held].filter(([key]) => !wanted.has(key)).map(([, grant]) => grant),
  };
}
