import type { Call, Context } from "../context";
import type { JsonObject } from "../messages/json";
import { operationBody, type Finisher } from "../state/operations";
import { checkRequestId, firstAnswer, rememberAnswer } from "../state/request-ids";
import type { Store, StoredOperation } from "../state/store";
import { ASSOCIATION_TYPE_URL } from "./association-rules";

const EMPTY_TYPE_URL = "type.googleapis.com/google.protobuf.Empty";

/** The answer of a call that starts an operation: a repeated requestId answers the operation that it started before. */
export function startOnce(call: Call, context: Context, start: () => StoredOperation): JsonObject {
  const { store, clock } = context;
  const id = checkRequestId(call.query.requestId as string | undefined);
  const key = id && `${call.method.id}/projects/${call.project}/locations/${call.location}/${id}`;
  const first = firstAnswer(store, clock, context.config().requestIdWindowMs, key);
  if (first !== undefined) {
    return operationBody(first, clock);
  }
  const operation = start();
  rememberAnswer(store, clock, key, operation);
  return operationBody(operation, clock);
}

export function startOperation(
  call: Call,
  context: Context,
  verb: StoredOperation["verb"],
  target: string,
  body?: JsonObject,
): StoredOperation {
  return context.operations.start({
    service: "networksecurity",
    version: "v1beta1",
    verb,
    parent: `projects/${call.project}/locations/${call.location}`,
    target,
    durationMs: context.config().operationMs,
    failure: call.operationFailure,
    body,
  });
}

/** What the end of an operation does to its association. An operation that failed leaves it as it was before. */
export function finishAssociation(store: Store, timestamp: (ms: number) => string): Finisher {
  return (operation, succeeded) => {
    const { verb, target, failure } = operation;
    const current = store.get(target);
    if (verb === "delete") {
      if (succeeded) {
        store.remove(target);
      } else if (current !== undefined && operation.body !== undefined) {
        store.put({ ...current, body: operation.body });
      }
      return { "@type": EMPTY_TYPE_URL };
    }
    // A control request removed it while the operation ran.
    if (current === undefined) {
      return { "@type": ASSOCIATION_TYPE_URL, name: target };
    }
    if (verb === "create" && !succeeded && !failure?.keepResource) {
      store.remove(target);
      return { "@type": ASSOCIATION_TYPE_URL, name: target };
    }
    const body = succeeded && operation.body !== undefined ? { ...operation.body } : { ...current.body };
    delete body.reconciling;
    if (succeeded) {
      body.updateTime = timestamp(operation.dueMs);
      body.state = body.disabled === true ? "INACTIVE" : "ACTIVE";
    } else if (verb === "create") {
      body.state = "INACTIVE";
    }
    store.put({ ...current, body });
    // Seen live: the answer of an operation leaves the labels out (wire reference, section 6).
    const answered = { ...body };
    delete answered.labels;
    return { "@type": ASSOCIATION_TYPE_URL, ...answered };
  };
}
