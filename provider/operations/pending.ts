import { sameName } from "../core/reference";
import { isRecord, type Values } from "../core/unknown";

const VERBS = ["create", "update", "delete"] as const;
export type Verb = (typeof VERBS)[number];

/**
 * An operation that a call began and did not see the end of. The resource's state keeps it, under a property whose name
 * begins with two underscores, which engines treat as internal. The next run waits for it in place of beginning another.
 */
export interface Pending {
  verb: Verb;
  /** Full name of the operation. */
  operation: string;
}

const KEY = "__pending";

/**
 * The operation that the state keeps; undefined where it keeps none.
 *
 * @param resource full name of the resource that the state is of.
 */
export function pendingOf(resource: string, state: Values): Pending | undefined {
  const value = state[KEY];
  if (!isRecord(value) || typeof value.operation !== "string") return undefined;
  const { operation } = value;
  const verb = VERBS.find((each) => each === value.verb);
  if (verb === undefined) return undefined;
  // The first release kept the full name.
  const name = operation.includes("/") ? operation : `${operationsBeside(resource)}/${operation}`;
  return { verb, operation: name };
}

/**
 * The state with an operation to wait for. Of the operation's name it keeps only the last part, where the resource's name
 * tells the rest: the project and the location may be secret, and engines hide only properties that the schema names.
 */
export function withPending(resource: string, state: Values, { verb, operation }: Pending): Values {
  const [parent, id] = split(operation);
  return { ...state, [KEY]: { verb, operation: sameName(parent, operationsBeside(resource)) ? id : operation } };
}

export function withoutPending(state: Values): Values {
  const { [KEY]: _, ...rest } = state;
  return rest;
}

/** Where the operations on a resource are: `projects/{project}/locations/{location}/operations`. */
function operationsBeside(resource: string): string {
  return [...resource.split("/").slice(0, 4), "operations"].join("/");
}

function split(name: string): [parent: string, id: string] {
  const at = name.lastIndexOf("/");
  return [name.slice(0, Math.max(0, at)), name.slice(at + 1)];
}
