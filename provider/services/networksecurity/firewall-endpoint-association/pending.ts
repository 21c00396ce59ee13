import type { Values } from "../../../core/unknown";
import { isRecord } from "../../../core/unknown";

/**
 * An operation that a call began and did not see the end of. It is kept in the state under a name that engines treat
 * as internal, so that the next run waits for it instead of beginning another one.
 */
export interface Pending {
  verb: "create" | "update" | "delete";
  /** Full name of the operation. */
  operation: string;
}

const KEY = "__pending";

export function pendingOf(state: Values): Pending | undefined {
  const value = state[KEY];
  if (!isRecord(value) || typeof value.operation !== "string") return undefined;
  return { verb: value.verb as Pending["verb"], operation: value.operation };
}

export function withPending(state: Values, pending: Pending): Values {
  return { ...state, [KEY]: { ...pending } };
}

export function withoutPending(state: Values): Values {
  const { [KEY]: _, ...rest } = state;
  return rest;
}
