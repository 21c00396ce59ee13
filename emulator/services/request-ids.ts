import type { ApiNotes } from "../base/api";
import { invalidArgument } from "../base/errors";
import type { JsonObject } from "../base/json";
import type { Store, StoredOperation } from "../state/store";
import type { Call, Context } from "./method";
import { operationBody } from "./operations";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The largest number of remembered requests. Older ones are forgotten, which limits the memory of long runs. */
const MAX_REMEMBERED = 20_000;
const WINDOW_MS = 60 * 60 * 1000;
const ZERO = "00000000-0000-0000-0000-000000000000";

/**
 * Starts an operation, or returns the operation of an earlier request with the same requestId in the last hour. A
 * repeated request has no effect, even if its body differs (AIP-155).
 *
 * @throws ApiError for a requestId that is not a UUID, and whatever `start` throws
 */
export function once(call: Call, context: Context, start: () => StoredOperation): JsonObject {
  const { store, clock } = context;
  const id = checkRequestId(call.query.requestId as string | undefined, call.method.api.notes);
  const parent = call.name.split("/").slice(0, 4).join("/");
  const key = id && `${call.method.id}/${parent}/${id}`;
  forgetOld(store, clock.now() - WINDOW_MS);
  const remembered = key === undefined ? undefined : store.request(key);
  const first = remembered && store.operation(remembered.operation);
  if (first !== undefined && !first.deleted) {
    return operationBody(first, context);
  }
  const operation = start();
  if (key !== undefined) {
    store.putRequest(key, { operation: operation.name, atMs: clock.now() });
  }
  return operationBody(operation, context);
}

/** @returns the requestId in lower case; undefined if absent. @throws ApiError for an invalid requestId */
function checkRequestId(requestId: string | undefined, { anyRequestId }: ApiNotes): string | undefined {
  if (requestId === undefined || requestId === "") {
    return undefined;
  }
  const id = requestId.toLowerCase();
  if ((!UUID.test(id) && !anyRequestId) || id === ZERO) {
    const description =
      id === ZERO ? "The zero UUID is not supported." : `'${requestId.slice(0, 100)}' is not a valid UUID.`;
    throw invalidArgument(`Invalid request_id: ${description}`, [{ field: "request_id", description }]);
  }
  return id;
}

/** @internal exported for its test: 20,000 requests take a minute */
export function forgetOld(store: Store, untilMs: number): void {
  let surplus = store.requestCount() - MAX_REMEMBERED;
  for (const [old, { atMs }] of store.requests()) {
    if (atMs > untilMs && surplus <= 0) {
      return;
    }
    store.putRequest(old, undefined);
    surplus -= 1;
  }
}
