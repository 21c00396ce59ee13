import type { Service } from "../base/api";
import type { JsonObject } from "../base/json";
import type { Author } from "./history";

export interface StoredResource {
  service: Service;
  /** The full resource name, e.g. `projects/p/locations/l/scopes/s`. */
  name: string;
  body: JsonObject;
  /** The policy as on the wire, with its etag; absent until a policy is set. */
  policy?: JsonObject;
}

/** The key of a stored resource. It includes the API, because two APIs may have a resource with the same name. */
export function resourceKey({ service, name }: Pick<StoredResource, "service" | "name">): string {
  return `${service}/${name}`;
}

/** The future error of an operation. */
export interface OperationFailure {
  /** google.rpc.Code */
  code: number;
  message: string;
  /** Whether the resource of a failed create is kept. */
  keepResource?: boolean;
}

export interface StoredOperation {
  name: string;
  service: Service;
  version: string;
  /** `create`, `update`, `delete`, or an action such as `start`. */
  verb: string;
  /** The full name of the resource that the operation changes. */
  target: string;
  createdMs: number;
  dueMs: number;
  cancelRequested: boolean;
  failure?: OperationFailure;
  /** The changes of the body when the operation succeeds, as a JSON merge patch; absent for create and delete. */
  changes?: JsonObject;
  /** When it fails: fields to restore, with null for fields to remove. */
  undo?: JsonObject;
  outcome?: { endMs: number; error?: { code: number; message: string }; response?: JsonObject };
  /** Whether a client deleted the operation while it was running. It cannot be read any more, but it still completes. */
  deleted?: boolean;
  /** Who started it. */
  author?: Author;
}

/** The operation that a requestId started, and the time. */
export interface RememberedRequest {
  operation: string;
  atMs: number;
}
