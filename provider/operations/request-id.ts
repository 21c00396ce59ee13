import { v5 as namedUuid } from "uuid";
import type { Values } from "../core/unknown";

/** Namespace of the provider's request ids, a random UUID. It must never change: a killed run's id would be lost. */
const NAMESPACE = "5d0f2f0e-7d0b-4c3c-9a55-0d1f5ad0c8f4";

/** The resource whose request it is. */
export interface Owner {
  /** What the engine calls the resource, unique among all stacks of one backend. */
  identity?: string;
  /** Where the engine keeps the state: two backends can hold stacks of the same names. */
  backend?: string;
}

/**
 * The request id of a create whose program gives none: a UUID of version 5, which is a hash of the inputs and the owner.
 * A run after one that was killed arrives at the same id, so the server answers with the operation that is there already,
 * and makes no second resource. From a hash, nobody can read the owner.
 *
 * @param after the operation that the id before brought back, where that is not this create's: for the next id. A run
 *   after one that was killed meets the same operation, and so arrives at the same next id.
 */
export function createRequestId(inputs: Values, { identity = "", backend }: Owner, after?: string): string {
  const properties = Object.entries(inputs)
    .filter(([, value]) => value !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  const parts = backend === undefined ? (after === undefined ? [] : [after]) : [after ?? null, backend];
  return namedUuid(JSON.stringify([identity, properties, ...parts]), NAMESPACE);
}
