import type { Handler } from "../context";
import { isDenied } from "../auth/permissions";
import { listPage } from "../list/page";
import type { JsonObject } from "../messages/json";
import type { Message } from "../messages/schema";
import { shown } from "../messages/shown";
import { collectionId, serviceOf, type ResourceType } from "./resource-type";

/** The field of a list answer that holds the items, e.g. `triggers`, and the message that they are of. */
export function listItems(response: Message): { field: string; message: Message } {
  for (const [field, { type }] of Object.entries(response.fields)) {
    if (type.kind === "list" && type.item.kind === "message") {
      return { field, message: type.item.message };
    }
  }
  throw new Error(`${response.name} lists nothing`);
}

/**
 * Lists the resources of a type; `-` stands for any location or other parent.
 *
 * @param permission leaves out the resources on which the caller lacks it
 */
export function listHandler(type: ResourceType, permission?: string): Handler {
  return (call, { store, config }) => {
    if (call.location !== "-") {
      type.checkLocation?.(call.location);
    }
    const { field, message } = listItems(call.method.response);
    const bodies = store
      .all()
      .filter(({ service, name }) => service === serviceOf(type) && isIn(call.name, collectionId(type), name))
      .filter(({ name }) => permission === undefined || !isDenied(config(), permission, name))
      .map(({ body }): JsonObject => shown(message, body));
    const { items, nextPageToken } = listPage(bodies, call, message);
    return { ...(items.length > 0 && { [field]: items }), ...(nextPageToken && { nextPageToken }) };
  };
}

/** Whether a resource is in this collection of this parent. A `-` in the name of the parent fits any segment. */
function isIn(parent: string, collection: string, name: string): boolean {
  const wanted = [...parent.split("/"), collection];
  const segments = name.split("/");
  return (
    segments.length === wanted.length + 1 &&
    wanted.every((segment, index) => segment === "-" || segment === segments[index])
  );
}
