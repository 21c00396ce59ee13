import { ApiError } from "../base/errors";
import type { JsonObject } from "../base/json";
import { flag, int32, list, message, nested, struct, text, timestamp } from "../base/schema";
import type { Api } from "../base/api";
import { shown } from "../messages/shown";
import type { StoredOperation } from "../state/store";
import { listAnswer } from "./reads";
import { described, type Context, type Handler, type Method } from "./method";

/** google.longrunning.Operation with the metadata of all APIs, for filters and partial answers. */
const operationMessage = message("google.longrunning.Operation", {
  name: text,
  metadata: nested(
    message("OperationMetadata", {
      "@type": text,
      createTime: timestamp,
      endTime: timestamp,
      target: text,
      verb: text,
      statusMessage: text,
      requestedCancellation: flag,
      cancelRequested: flag,
      apiVersion: text,
    }),
  ),
  done: flag,
  error: nested(message("google.rpc.Status", { code: int32, message: text, details: list(struct) })),
  response: struct,
});

/**
 * The body of a google.longrunning.Operation. It has `done` and `requestedCancellation` even if they are false (docs/wire.md
 * section 6).
 *
 * @param stale shows it as still running
 */
export function operationBody(
  operation: StoredOperation,
  { apiOf, clock }: Pick<Context, "apiOf" | "clock">,
  stale = false,
): JsonObject {
  const { service, version, outcome } = operation;
  const ended = outcome !== undefined && !stale;
  // Each API has some of these fields. Unknown fields are omitted.
  const metadata: JsonObject = {
    createTime: clock.timestamp(operation.createdMs),
    ...(ended && { endTime: clock.timestamp(outcome.endMs) }),
    target: operation.target,
    verb: operation.verb,
    requestedCancellation: operation.cancelRequested,
    // gkehub uses this name, and omits the field if it is false.
    ...(operation.cancelRequested && { cancelRequested: true }),
    apiVersion: version,
  };
  const api = apiOf(service, version);
  const type = `${api.package}.OperationMetadata`;
  const shape = api.messageNamed(type);
  return {
    name: operation.name,
    metadata: {
      "@type": `type.googleapis.com/${type}`,
      ...(shape === undefined ? metadata : shown(shape, metadata)),
    },
    done: ended,
    ...(ended && outcome.error && { error: outcome.error }),
    ...(ended && outcome.response && { response: outcome.response }),
  };
}

/** The operation is searched in all possible APIs (`Call.services`). */
const HANDLERS: Readonly<Record<string, Handler>> = {
  get: ({ services, name, stale }, context) => operationBody(context.operations.find(services, name), context, stale),
  list: (call, context) => {
    const all = context.operations
      .list(call.services, call.name)
      .map((operation) => ({ name: operation.name, body: () => operationBody(operation, context) }));
    return listAnswer(all, call, operationMessage);
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

/** The methods operations.get, list, cancel and delete of an API version, if its document has them. */
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
