import type { JsonObject } from "../base/json";
import type { Message } from "../base/schema";
import { listPage, type ListItem } from "../list/page";
import { shown } from "../messages/shown";
import type { StoredResource } from "../state/store";
import { existing } from "./checks";
import type { Call, Context, Handler } from "./method";
import { collectionId, shapeIn, type ResourceType } from "./resource-type";

/** `get` of a resource: returns its body as this API version shows it. */
export function getHandler(type: ResourceType): Handler {
  return ({ name, stale, method }, context) => {
    const resource = existing(type, name, context, stale);
    return answered(type, shapeIn(type, method.api.version), resource, context);
  };
}

function answered(type: ResourceType, shape: Message, resource: StoredResource, context: Context): JsonObject {
  return shown(shape, { ...resource.body, ...type.derived?.(resource, context) });
}

/** The field with the items in the response of a list, e.g. `triggers`, and the message of the items. */
export function listItems(response: Message): { field: string; message: Message } {
  for (const [field, { type }] of Object.entries(response.fields)) {
    if (type.kind === "list" && type.item.kind === "message") {
      return { field, message: type.item.message };
    }
  }
  throw new Error(`${response.name} lists nothing`);
}

/**
 * Lists the resources of a type. `-` matches any location or other parent.
 *
 * @param permission omits the resources on which the caller does not have this permission
 */
export function listHandler(type: ResourceType, permission?: string): Handler {
  return (call, context) => {
    const { store, permissions } = context;
    if (call.location !== "-") {
      type.checkLocation?.(call.location);
    }
    const { message } = listItems(call.method.response);
    const all = store
      .all()
      .filter(({ service, name }) => service === type.service && isIn(call.name, collectionId(type), name))
      .filter(({ name }) => permission === undefined || permissions.has(permission, name))
      .map((resource) => ({ name: resource.name, body: () => answered(type, message, resource, context) }));
    return listAnswer(all, call, message);
  };
}

/**
 * The response of a list method, with the selected page.
 *
 * @param message of the items, if the response is not one of their own API
 */
export function listAnswer(all: readonly ListItem[], call: Call, message?: Message): JsonObject {
  const own = listItems(call.method.response);
  const { items, nextPageToken } = listPage(all, call, message ?? own.message);
  return { ...(items.length > 0 && { [own.field]: items }), ...(nextPageToken && { nextPageToken }) };
}

/** Whether a resource is in this collection of this parent. A `-` in the name of the parent matches any segment. */
function isIn(parent: string, collection: string, name: string): boolean {
  const wanted = [...parent.split("/"), collection];
  const segments = name.split("/");
  return (
    segments.length === wanted.length + 1 &&
    wanted.every((segment, index) => segment === "-" || segment === segments[index])
  );
}
