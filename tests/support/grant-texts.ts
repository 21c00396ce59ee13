/** Grants as texts that are equal for equal grants. They do not use the product's code, which the tests check with them. */
import type { Policy } from "../../provider/iam/policy";

type Condition = NonNullable<NonNullable<Policy["bindings"]>[number]["condition"]>;

/** One member in one role under one condition. */
export function grantText(role: string, member: string, condition?: Partial<Condition> | null): string {
  const { title = "", description = "", expression = "" } = condition ?? {};
  const parts = condition ? [title, description, expression] : [];
  return [comparable(member), role, ...parts].join(" | ");
}

/** A member as it compares: without case, unless it is a principal of a pool. */
export function comparable(member: string): string {
  return member.startsWith("principal") ? member : member.toLowerCase();
}

/** The grants of a policy in its order. One that is there twice is twice in the list. */
export function grantTexts(policy: Pick<Policy, "bindings"> | undefined): string[] {
  return (policy?.bindings ?? []).flatMap(({ role = "", members, condition }) =>
    (members ?? []).map((member) => grantText(role, member, condition)),
  );
}

/** Every member of a policy's bindings, in its order. */
export function membersIn(policy: Pick<Policy, "bindings"> | undefined): string[] {
  return (policy?.bindings ?? []).flatMap(({ members }) => [...(members ?? [])]);
}
