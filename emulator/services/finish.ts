import { mergePatch, sameJson, withFields, type JsonObject } from "../base/json";
import { shown } from "../messages/shown";
import type { Finisher } from "../state/operations";
import type { Store, StoredOperation } from "../state/store";
import { findResourceType, shapeIn, storedShape, type ResourceType } from "./resource-type";

/** The delay of the update time after the end of the operation, in ms. 11 to 22 were observed. */
const UPDATE_LAG_MS = 17;

/** The `response` of a successful operation: the resource in the API version of the call, or usually Empty for a delete. */
export function succeededResponse(type: ResourceType, version: string, verb: string, body: JsonObject): JsonObject {
  if (verb === "delete" && type.deleted === undefined) {
    return { "@type": "type.googleapis.com/google.protobuf.Empty" };
  }
  const shape = shapeIn(type, version);
  const left = verb === "delete" ? (type.deleted?.(body) ?? {}) : body;
  const answered = withFields(left, Object.fromEntries((type.unanswered ?? []).map((field) => [field, null])));
  return { "@type": `type.googleapis.com/${shape.name}`, ...shown(shape, answered) };
}

/** Applies the end of an operation to its resource. After a failed operation, the resource is as before. */
export function finisher(
  resourceTypes: readonly ResourceType[],
  store: Store,
  timestamp: (ms: number) => string,
): Finisher {
  return (operation, succeeded, endMs) => {
    const { service, version, verb, target } = operation;
    const type = findResourceType(resourceTypes, service, target);
    if (type === undefined) {
      throw new Error(`No type of resource has the name ${target}`);
    }
    const current = store.get(service, target);
    // A control request removed the resource during the operation.
    if (current === undefined) {
      return succeededResponse(type, version, verb, { name: target });
    }
    if (succeeded && verb === "delete") {
      [...store.below(service, target), target].forEach((name) => store.remove(service, name));
      return succeededResponse(type, version, verb, current.body);
    }
    if (!succeeded && verb === "create" && !operation.failure?.keepResource) {
      store.remove(service, target);
      return {};
    }
    const undone = withFields(current.body, undoOf(type, operation, current.body));
    if (!succeeded) {
      store.put({ ...current, body: withFields(undone, verb === "create" ? type.states?.failed : undefined) });
      return {};
    }
    const made = mergePatch(undone, operation.changes ?? {});
    const body = withFields(made, verb === "update" ? type.states?.updated?.(made) : undefined);
    const timed = "updateTime" in storedShape(type).fields;
    store.put({ ...current, body: { ...body, ...(timed && { updateTime: timestamp(endMs + UPDATE_LAG_MS) }) } });
    return succeededResponse(type, version, verb, body);
  };
}

/** Restores the fields that showed the running operation, except fields that were changed by others since. */
function undoOf(type: ResourceType, { verb, undo = {} }: StoredOperation, current: JsonObject): JsonObject {
  const { states = {}, actions = {} } = type;
  const shown =
    { create: states.creating, update: states.updating, delete: states.deleting }[verb] ?? actions[verb]?.during;
  return Object.fromEntries(Object.entries(undo).filter(([field]) => sameJson(current[field], shown?.[field])));
}
