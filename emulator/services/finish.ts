import { withFields, type JsonObject } from "../messages/json";
import { shown } from "../messages/shown";
import type { Finisher } from "../state/operations";
import type { Store, StoredOperation, StoredResource } from "../state/store";
import { findKind, shapeIn, storedShape, type ResourceKind } from "./kind";

const EMPTY: JsonObject = { "@type": "type.googleapis.com/google.protobuf.Empty" };

/** The `response` of an operation that succeeded: the resource in the version of the call, Empty for a delete. */
export function succeededResponse(kind: ResourceKind, version: string, verb: string, body: JsonObject): JsonObject {
  if (verb === "delete") {
    return { ...EMPTY };
  }
  const shape = shapeIn(kind, version);
  const answered = withFields(body, Object.fromEntries((kind.unanswered ?? []).map((field) => [field, null])));
  return { "@type": `type.googleapis.com/${shape.name}`, ...shown(shape, answered) };
}

/** Ends an operation of any kind; a failed one leaves the resource as it was before. */
export function finisher(kinds: readonly ResourceKind[], store: Store, timestamp: (ms: number) => string): Finisher {
  return (operation, succeeded) => {
    const { service, version, verb, target } = operation;
    const kind = findKind(kinds, service, target);
    if (kind === undefined) {
      throw new Error(`No kind of resource has the name ${target}`);
    }
    const current = store.get(target);
    // Gone through the back door (a control request) while the operation ran.
    if (current === undefined) {
      return verb === "delete" ? EMPTY : { ...succeededResponse(kind, version, verb, { name: target }) };
    }
    if (succeeded && verb === "delete") {
      store.below(target).forEach((name) => store.remove(name));
      store.remove(target);
      return EMPTY;
    }
    if (!succeeded && verb === "create" && !operation.failure?.keepResource) {
      store.remove(target);
      return EMPTY;
    }
    const body = succeeded
      ? bodyAfter(kind, operation, current, timestamp)
      : withFields(current.body, verb === "create" ? (kind.states?.failed ?? operation.undo) : operation.undo);
    store.put({ ...current, body });
    return succeededResponse(kind, version, verb, body);
  };
}

function bodyAfter(
  kind: ResourceKind,
  { verb, body, undo, dueMs }: StoredOperation,
  current: StoredResource,
  timestamp: (ms: number) => string,
): JsonObject {
  const made = body === undefined ? withFields(current.body, undo) : body;
  const updated = verb === "update" ? kind.states?.updated?.(made) : undefined;
  const timed = "updateTime" in storedShape(kind).fields;
  return { ...withFields(made, updated), ...(timed && { updateTime: timestamp(dueMs) }) };
}
