import { protoPackage } from "../messages/proto-names";
import type { JsonObject } from "../messages/json";
import { flag, int32, list, message, nested, struct, text, timestamp, type Message } from "../messages/schema";
import { shown } from "../messages/shown";
import type { Clock } from "../state/clock";
import type { StoredOperation } from "../state/store";
import { apis } from "./apis";

const operationMetadata = message("OperationMetadata", {
  "@type": text,
  createTime: timestamp,
  endTime: timestamp,
  target: text,
  verb: text,
  statusMessage: text,
  requestedCancellation: flag,
  cancelRequested: flag,
  apiVersion: text,
});

/** google.longrunning.Operation with the metadata of all six APIs, for filters and partial answers. */
export const operationMessage = message("google.longrunning.Operation", {
  name: text,
  metadata: nested(operationMetadata),
  done: flag,
  error: nested(message("google.rpc.Status", { code: int32, message: text, details: list(struct) })),
  response: struct,
});

const METADATA = /OperationMetadata$/;

/** The metadata message of an API in one version, if its document has one. */
function metadataShape({ service, version }: StoredOperation): Message | undefined {
  const api = apis[service].find((each) => each.version === version);
  const schema = api?.schemas().find((name) => METADATA.test(name) && !name.startsWith("Deidentify"));
  return schema === undefined ? undefined : api?.message(schema);
}

/**
 * The body of a google.longrunning.Operation. It has `done` and `requestedCancellation` even where they are false, as seen
 * for networksecurity (docs/wire.md section 6).
 *
 * @param stale shows it as still running
 */
export function operationBody(operation: StoredOperation, clock: Clock, stale = false): JsonObject {
  const { service, version, outcome } = operation;
  const ended = outcome !== undefined && !stale;
  // Each API has some of these fields; what it lacks is left out.
  const metadata: JsonObject = {
    createTime: clock.timestamp(operation.createdMs),
    ...(ended && { endTime: clock.timestamp(outcome.endMs) }),
    target: operation.target,
    verb: operation.verb,
    requestedCancellation: operation.cancelRequested,
    cancelRequested: operation.cancelRequested,
    apiVersion: version,
  };
  const shape = metadataShape(operation);
  return {
    name: operation.name,
    metadata: {
      "@type": `type.googleapis.com/${protoPackage(service, version)}.OperationMetadata`,
      ...(shape === undefined ? metadata : shown(shape, metadata)),
    },
    done: ended,
    ...(ended && outcome.error && { error: outcome.error }),
    ...(ended && outcome.response && { response: outcome.response }),
  };
}
