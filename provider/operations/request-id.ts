import { v5 as namedUuid } from "uuid";
import type { Values } from "../core/unknown";

/** Namespace of the request ids that this provider makes; random once, and the same for ever. */
const NAMESPACE = "5d0f2f0e-7d0b-4c3c-9a55-0d1f5ad0c8f4";

/** Whose request it is. */
export interface Owner {
  /** What the engine calls the resource, unique among all stacks of one backend. */
  identity?: string;
  /** Where the engine keeps the state: two backends can hold stacks of the same names. */
  backend?: string;
}

/**
 * The request id of a create whose program gives none. The same create, repeated by a run after one that was killed,
 * has the same id, so the server answers it with the operation that is already there instead of a second resource. The
 * id is a hash, so that nobody can read its owner off it.
 *
 * @param after an operation that an earlier request id brought back and that is not this create's. A run after one that
 *   was killed meets the same one, and so finds the same next id.
 */
export function createRequestId(inputs: Values, { identity = "", backend }: Owner, after?: string): string {
  const properties = Object.entries(inputs)
    .filter(([, value]) => value !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  const parts = backend === undefined ? (after === undefined ? [] : [after]) : [after ?? null, backend];
  return namedUuid(JSON.stringify([identity, properties, ...parts]), NAMESPACE);
}
