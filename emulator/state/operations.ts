import { randomBytes } from "node:crypto";
import type { Clock } from "./clock";
import type { Service } from "../control/config";
import { ApiError, notFound } from "../http/errors";
import { clone, type JsonObject } from "../messages/json";
import type { OperationFailure, Store, StoredOperation } from "./store";

/** Applies the end of an operation to its resource. Returns the operation's `response`, with `@type`. */
export type Finisher = (operation: StoredOperation, succeeded: boolean) => JsonObject;

export interface NewOperation {
  service: Service;
  version: string;
  verb: string;
  /** `projects/{p}/locations/{l}` */
  parent: string;
  target: string;
  durationMs: number;
  failure?: OperationFailure;
  body?: JsonObject;
  undo?: JsonObject;
  /** The response of an operation that is done from the start. */
  response?: JsonObject;
}

const CANCELLED = 1;
/** How long an operation is kept after its start: 30 days. */
const EXPIRY_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Long-running operations. Nothing runs in the background: each request first ends the operations that are due by then, in
 * the order of their due times (`finishDue`). So they end the same way after a restart, and with a clock that is moved.
 */
export class Operations {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly finisher: Finisher,
  ) {}

  start(request: NewOperation): StoredOperation {
    const now = this.clock.now();
    const { service, version, verb, parent, target, durationMs, failure, body, undo, response } = request;
    const suffix = randomBytes(12).toString("hex");
    const operation: StoredOperation = {
      name: `${parent}/operations/operation-${now}-${suffix.slice(0, 13)}-${suffix.slice(13, 21)}`,
      service,
      version,
      verb,
      target,
      createdMs: now,
      dueMs: now + durationMs,
      cancelRequested: false,
      ...(failure && { failure }),
      ...(body && { body }),
      ...(undo && { undo }),
      ...(response && { outcome: { endMs: now, response } }),
    };
    this.store.operations.set(operation.name, operation);
    this.store.touch();
    return operation;
  }

  /** Ends every operation that is due, and forgets those that expired. */
  finishDue(): void {
    const now = this.clock.now();
    const due: StoredOperation[] = [];
    for (const operation of this.store.operations.values()) {
      if (operation.outcome === undefined && operation.dueMs <= now) {
        due.push(operation);
      } else if (now - operation.createdMs > EXPIRY_MS) {
        this.store.operations.delete(operation.name);
        this.store.touch();
      }
    }
    due.sort((a, b) => a.dueMs - b.dueMs).forEach((operation) => this.finish(operation, operation.dueMs));
  }

  /** The API that an operation belongs to. */
  ownerOf(name: string): Service | undefined {
    return this.store.operations.get(name)?.service;
  }

  /** @throws ApiError NOT_FOUND for one that is of none of these APIs */
  find(services: readonly Service[], name: string): StoredOperation {
    const operation = this.store.operations.get(name);
    if (operation === undefined || !services.includes(operation.service)) {
      throw notFound(name);
    }
    return operation;
  }

  /** The operations below a parent; a `-` in its name stands for any location. */
  list(services: readonly Service[], parent: string): StoredOperation[] {
    const wanted = parent.split("/");
    return [...this.store.operations.values()].filter(({ service, name }) => {
      const segments = name.split("/").slice(0, -2);
      return (
        services.includes(service) &&
        segments.length === wanted.length &&
        wanted.every((segment, index) => segment === "-" || segment === segments[index])
      );
    });
  }

  remove(services: readonly Service[], name: string): void {
    this.find(services, name);
    this.store.operations.delete(name);
    this.store.touch();
  }

  /** Ends a running operation with error code 1; does nothing to one that has ended. */
  cancel(services: readonly Service[], name: string): void {
    const operation = this.find(services, name);
    if (operation.outcome === undefined) {
      operation.cancelRequested = true;
      operation.failure = { code: CANCELLED, message: "Operation was cancelled." };
      this.finish(operation, this.clock.now());
    }
  }

  /** @throws ApiError ABORTED while another operation works on the resource */
  refuseIfBusy(target: string): void {
    for (const operation of this.store.operations.values()) {
      if (operation.target === target && operation.outcome === undefined) {
        throw new ApiError(
          "ABORTED",
          `Resource '${target}' is busy: operation '${operation.name}' (${operation.verb}) has not ended`,
        );
      }
    }
  }

  private finish(operation: StoredOperation, endMs: number): void {
    const { failure } = operation;
    const response = this.finisher(operation, failure === undefined);
    operation.outcome = failure
      ? { endMs, error: { code: failure.code, message: failure.message } }
      : { endMs, response: clone(response) };
    delete operation.body;
    delete operation.undo;
    this.store.touch();
  }
}
