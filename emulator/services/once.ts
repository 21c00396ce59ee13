import type { Call, Context } from "../context";
import type { JsonObject } from "../messages/json";
import { checkRequestId, firstAnswer, rememberAnswer } from "../state/request-ids";
import type { StoredOperation } from "../state/store";
import { operationBody } from "./operation-body";

/** Starts an operation, or answers the one that the same requestId started before. */
export function once(call: Call, context: Context, start: () => StoredOperation): JsonObject {
  const { store, clock } = context;
  const id = checkRequestId(call.query.requestId as string | undefined);
  const parent = call.name.split("/").slice(0, 4).join("/");
  const key = id && `${call.method.id}/${parent}/${id}`;
  const first = firstAnswer(store, clock, context.config().requestIdWindowMs, key);
  if (first !== undefined) {
    return operationBody(first, clock);
  }
  const operation = start();
  rememberAnswer(store, clock, key, operation);
  return operationBody(operation, clock);
}
