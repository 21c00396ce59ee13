import type { Method } from "../context";
import type { Service } from "../control/config";
import { ApiError } from "../http/errors";
import { operationBody, operationMessage } from "../state/operations";
import { listPage } from "../list/page";
import { list, message, nested, text } from "../messages/schema";

/** operations.get, list, cancel and delete of one API (wire reference, section 6). */
export function operationMethods(service: Service, version: string): Method[] {
  const methodPrefix = `${service}.projects.locations.operations`;
  const path = "projects/{project}/locations/{location}/operations/{operation}";
  const empty = message("google.protobuf.Empty", {});
  return [
    {
      id: `${methodPrefix}.get`,
      service,
      verb: "GET",
      version,
      path,
      response: operationMessage,
      permission: `${service}.operations.get`,
      handler: (call, { operations, clock }) => operationBody(operations.find(service, call.name), clock, call.stale),
    },
    {
      id: `${methodPrefix}.list`,
      service,
      verb: "GET",
      version,
      path: "projects/{project}/locations/{location}",
      collection: "operations",
      query: { filter: "string", pageSize: "int32", pageToken: "string", returnPartialSuccess: "bool" },
      response: message("google.longrunning.ListOperationsResponse", {
        operations: list(nested(operationMessage)),
        nextPageToken: text,
        unreachable: list(text),
      }),
      permission: `${service}.operations.list`,
      handler: (call, { operations, clock }) => {
        const all = operations.list(service, call.name).map((operation) => operationBody(operation, clock));
        const { items, nextPageToken } = listPage(all, call, operationMessage);
        return { ...(items.length > 0 && { operations: items }), ...(nextPageToken && { nextPageToken }) };
      },
    },
    {
      id: `${methodPrefix}.cancel`,
      service,
      verb: "POST",
      version,
      path,
      action: "cancel",
      request: message("google.longrunning.CancelOperationRequest", {}),
      response: empty,
      permission: `${service}.operations.cancel`,
      handler: (call, { operations, config }) => {
        if (config().cancellation === "unimplemented") {
          throw new ApiError("UNIMPLEMENTED", "Operation cancellation is not implemented, or supported, or enabled.");
        }
        operations.cancel(service, call.name);
        return {};
      },
    },
    {
      id: `${methodPrefix}.delete`,
      service,
      verb: "DELETE",
      version,
      path,
      response: empty,
      permission: `${service}.operations.delete`,
      handler: (call, { operations }) => {
        operations.remove(service, call.name);
        return {};
      },
    },
  ];
}
