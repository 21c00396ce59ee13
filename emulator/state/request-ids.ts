import { invalidArgument } from "../http/errors";
import type { Clock } from "./clock";
import type { Store, StoredOperation } from "./store";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Above this number the oldest are forgotten, which bounds the memory of long runs. */
const MAX_REMEMBERED = 20_000;
const ZERO = "00000000-0000-0000-0000-000000000000";

/** @returns the requestId in lower case; undefined for none. @throws ApiError for anything but a non-zero UUID */
export function checkRequestId(requestId: string | undefined): string | undefined {
  if (requestId === undefined || requestId === "") {
    return undefined;
  }
  const id = requestId.toLowerCase();
  if (!UUID.test(id) || id === ZERO) {
    const description =
      id === ZERO ? "The zero UUID is not supported." : `'${requestId.slice(0, 100)}' is not a valid UUID.`;
    throw invalidArgument(`Invalid request_id: ${description}`, [{ field: "request_id", description }]);
  }
  return id;
}

/**
 * The operation that an earlier request with this key started within the window; undefined for none. A repeated request is
 * answered with that operation and has no effect, even where its body differs (AIP-155).
 *
 * @param key the method, location and id of the request; undefined where it has no id
 */
export function firstAnswer(
  store: Store,
  clock: Clock,
  windowMs: number,
  key: string | undefined,
): StoredOperation | undefined {
  forgetOld(store, clock.now() - windowMs);
  const remembered = key === undefined ? undefined : store.request(key);
  const operation = remembered && store.operation(remembered.operation);
  return operation?.deleted ? undefined : operation;
}

function forgetOld(store: Store, untilMs: number): void {
  let surplus = store.requestCount() - MAX_REMEMBERED;
  for (const [old, { atMs }] of store.requests()) {
    if (atMs > untilMs && surplus <= 0) {
      return;
    }
    store.putRequest(old, undefined);
    surplus -= 1;
  }
}

export function rememberAnswer(store: Store, clock: Clock, key: string | undefined, operation: StoredOperation): void {
  if (key !== undefined) {
    store.putRequest(key, { operation: operation.name, atMs: clock.now() });
  }
}
