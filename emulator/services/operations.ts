import type { Handler, Method } from "../context";
import { ApiError } from "../http/errors";
import { listPage } from "../list/page";
import type { Api } from "../messages/api";
import { described } from "./described";
import { operationBody, operationMessage } from "./operation-body";

/** Operations are found whichever of the meant APIs they belong to (`Call.services`). */
const HANDLERS: Readonly<Record<string, Handler>> = {
  get: ({ services, name, stale }, { operations, clock }) =>
    operationBody(operations.find(services, name), clock, stale),
  list: (call, { operations, clock }) => {
    const all = operations.list(call.services, call.name).map((operation) => operationBody(operation, clock));
    const { items, nextPageToken } = listPage(all, call, operationMessage);
    return { ...(items.length > 0 && { operations: items }), ...(nextPageToken && { nextPageToken }) };
  },
  cancel: ({ services, name }, { operations, config }) => {
    if (config().cancellation === "unimplemented") {
      throw new ApiError("UNIMPLEMENTED", "Operation cancellation is not implemented, or supported, or enabled.");
    }
    operations.cancel(services, name);
    return {};
  },
  delete: ({ services, name }, { operations }) => {
    operations.remove(services, name);
    return {};
  },
};

/** operations.get, list, cancel and delete of one API and version, as far as its document has them. */
export function operationMethods(api: Api): Method[] {
  return Object.keys(api.methods)
    .filter((id) => /\.operations\.\w+$/.test(id))
    .map((id) => {
      const name = id.slice(id.lastIndexOf(".") + 1);
      const handler = HANDLERS[name];
      if (handler === undefined) {
        throw new Error(`No handler for ${api.service}.${id}`);
      }
      return described(api, id, handler, `${api.service}.operations.${name}`);
    });
}
