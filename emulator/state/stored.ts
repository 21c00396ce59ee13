import type { Service } from "../base/api";
import type { JsonObject } from "../base/json";
import type { Author } from "./history";

export interface StoredResource {
  service: Service;
  /** Full resource name, e.g. `projects/p/locations/l/scopes/s`. */
  name: string;
  body: JsonObject;
  /** In wire form, etag included; absent until a policy is set. */
  policy?: JsonObject;
}

/** What a resource is kept by: two APIs may have a resource of the same name. */
export function resourceKey({ service, name }: Pick<StoredResource, "service" | "name">): string {
  return `${service}/${name}`;
}

/** The error with which an operation will end. */
export interface OperationFailure {
  /** google.rpc.Code */
  code: number;
  message: string;
  /** Leaves the resource that a failed create made. */
  keepResource?: boolean;
}

export interface StoredOperation {
  name: string;
  service: Service;
  version: string;
  /** `create`, `update`, `delete`, or an action such as `start`. */
  verb: string;
  /** Full name of the resource that the operation changes. */
  target: string;
  createdMs: number;
  dueMs: number;
  cancelRequested: boolean;
  failure?: OperationFailure;
  /** What the operation changes in the body when it succeeds: a JSON merge patch; absent for create and delete. */
  changes?: JsonObject;
  /** When it fails: fields to put back as they were, null for those to remove. */
  undo?: JsonObject;
  outcome?: { endMs: number; error?: { code: number; message: string }; response?: JsonObject };
  /** Deleted while it ran: nobody can ask for it any more, and it still does its work. */
  deleted?: boolean;
  /** Who started it. */
  author?: Author;
}

/** The operation that a requestId started, and when. */
export interface RememberedRequest {
  operation: string;
  atMs: number;
}
