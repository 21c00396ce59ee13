import type { Service } from "../base/api";
import type { Author } from "./history";
import type { StoredOperation } from "./stored";

/** An operation as `emulator.operations()`, `GET /_emulator/operations` and events show it. */
export interface OperationView {
  name: string;
  service: Service;
  /** `create`, `update`, `delete`, or an action such as `start`. */
  verb: string;
  /** Full name of the resource that is worked on. */
  target: string;
  /** `deleted`: a client has deleted it; if it ran then, it goes on unseen. */
  state: "running" | "succeeded" | "failed" | "deleted";
  /** RFC 3339, by the emulator's clock, like the other times. */
  createTime: string;
  /** When it ends unless it is cancelled. */
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
