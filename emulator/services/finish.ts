import { withFields, type JsonObject } from "../messages/json";
import { shown } from "../messages/shown";
import type { Finisher } from "../state/operations";
import type { Store, StoredOperation, StoredResource } from "../state/store";
import { findResourceType, shapeIn, storedShape, type ResourceType } from "./resource-type";

const EMPTY: JsonObject = { "@type": "type.googleapis.com/google.protobuf.Empty" };

/** The `response` of an operation that succeeded: the resource in the version of the call, Empty for a delete. */
export function succeededResponse(type: ResourceType, version: string, verb: string, body: JsonObject): JsonObject {
  if (verb === "delete") {
    return { ...EMPTY };
  }
  const shape = shapeIn(type, version);
  const answered = withFields(body, Object.fromEntries((type.unanswered ?? []).map((field) => [field, null])));
  return { "@type": `type.googleapis.com/${shape.name}`, ...shown(shape, answered) };
}

/** What the end of an operation does to its resource. An operation that failed leaves it as it was before. */
export function finisher(
  resourceTypes: readonly ResourceType[],
  store: Store,
  timestamp: (ms: number) => string,
): Finisher {
  return (operation, succeeded) => {
    const { service, version, verb, target } = operation;
    const type = findResourceType(resourceTypes, service, target);
    if (type === undefined) {
      throw new Error(`No type of resource has the name ${target}`);
    }
    const current = store.get(target);
    // Gone through the back door (a control request) while the operation ran.
    if (current === undefined) {
      return verb === "delete" ? EMPTY : { ...succeededResponse(type, version, verb, { name: target }) };
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
      ? bodyAfter(type, operation, current, timestamp)
      : withFields(current.body, verb === "create" ? (type.states?.failed ?? operation.undo) : operation.undo);
    store.put({ ...current, body });
    return succeededResponse(type, version, verb, body);
  };
}

function bodyAfter(
  type: ResourceType,
  { verb, body, undo, dueMs }: StoredOperation,
  current: StoredResource,
  timestamp: (ms: number) => string,
): JsonObject {
  const made = body === undefined ? withFields(current.body, undo) : body;
  const updated = verb === "update" ? type.states?.updated?.(made) : undefined;
  const timed = "updateTime" in storedShape(type).fields;
  return { ...withFields(made, updated), ...(timed && { updateTime: timestamp(dueMs) }) };
}
