import { sameName } from "../core/reference";
import { isRecord, type Values } from "../core/unknown";

export type Verb = "create" | "update" | "delete";

/**
 * An operation that a call began and did not see the end of. The state keeps it under a name that engines treat as
 * internal, so that the next run waits for it instead of beginning another one.
 */
export interface Pending {
  verb: Verb;
  /** Full name of the operation. */
  operation: string;
}

const KEY = "__pending";

/** @param resource name of the resource that the state is of. */
export function pendingOf(resource: string, state: Values): Pending | undefined {
  const value = state[KEY];
  if (!isRecord(value) || typeof value.operation !== "string") return undefined;
  const { operation } = value;
  // The first release kept the full name.
  const name = operation.includes("/") ? operation : `${operationsBeside(resource)}/${operation}`;
  return { verb: value.verb as Verb, operation: name };
}

/**
 * The state with an operation to wait for. Of its name only the last part is kept, where the resource's name tells the
 * rest: the project and the location may be secrets, and what has no name in the schema is no secret to every engine.
 */
export function withPending(resource: string, state: Values, { verb, operation }: Pending): Values {
  const [parent, id] = split(operation);
  return { ...state, [KEY]: { verb, operation: sameName(parent, operationsBeside(resource)) ? id : operation } };
}

export function withoutPending(state: Values): Values {
  const { [KEY]: _, ...rest } = state;
  return rest;
}

/** `projects/{project}/locations/{location}/operations`, of the location that the resource is in. */
function operationsBeside(resource: string): string {
  return [...resource.split("/").slice(0, 4), "operations"].join("/");
}

function split(name: string): [parent: string, id: string] {
  const at = name.lastIndexOf("/");
  return [name.slice(0, Math.max(0, at)), name.slice(at + 1)];
}
