import type { InputsOf, PartialStateOf, StateOf } from "../../../core/definition";
import type { Grant } from "../../../iam/policy";
import type { defineMemberGrant } from "./definition";

export type Definition = ReturnType<typeof defineMemberGrant>;
export type Inputs = InputsOf<Definition>;
export type State = StateOf<Definition>;
export type PartialState = PartialStateOf<Definition>;

/** What tells a grant, and the resource that it is on. */
export type GrantValues = Pick<Inputs, "name" | "role" | "member" | "condition">;

/** The grant in a resource's inputs or state. */
export function grantOf({ role, member, condition }: GrantValues): Grant {
  return { role, member, ...(condition ? { condition } : {}) };
}

/** Whether a state, or what is known of one, tells the grant. */
export function tellsGrant<T extends PartialState>(state: T): state is T & GrantValues {
  const { name, role, member } = state;
  return name !== undefined && role !== undefined && member !== undefined;
}
