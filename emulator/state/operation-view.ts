import type { Service } from "../base/api";
import type { Author } from "./history";
import type { StoredOperation } from "./stored";

/** An operation in `emulator.operations()`, `GET /_emulator/operations` and events. */
export interface OperationView {
  name: string;
  service: Service;
  /** `create`, `update`, `delete`, or an action such as `start`. */
  verb: string;
  /** The full name of the resource. */
  target: string;
  /** `deleted`: a client has deleted the operation. If it was running, it continues, but clients cannot see it. */
  state: "running" | "succeeded" | "failed" | "deleted";
  /** The time of the emulator's clock in RFC 3339, like the other times. */
  createTime: string;
  /** The end of the operation unless it is cancelled. */
  dueTime: string;
  /** Absent while it runs. */
  endTime?: string;
  error?: { code: number; message: string };
  author?: Author;
}

export function viewOperation(operation: StoredOperation): OperationView {
  const { name, service, verb, target, createdMs, dueMs, outcome, author } = operation;
  return {
    ...{ name, service, verb, target },
    state: stateOf(operation),
    createTime: new Date(createdMs).toISOString(),
    dueTime: new Date(dueMs).toISOString(),
    ...(outcome && { endTime: new Date(outcome.endMs).toISOString() }),
    ...(outcome?.error && { error: outcome.error }),
    ...(author && { author }),
  };
}

function stateOf({ deleted, outcome }: StoredOperation): OperationView["state"] {
  if (deleted) {
    return "deleted";
  }
  return outcome === undefined ? "running" : outcome.error ? "failed" : "succeeded";
}
