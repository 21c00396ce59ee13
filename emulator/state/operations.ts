import { randomBytes } from "node:crypto";
import type { Clock } from "./clock";
import type { Service } from "../base/api";
import { ApiError, notFound } from "../base/errors";
import type { JsonObject } from "../base/json";
import { SaveError } from "./persistence";
import type { OperationFailure, Store, StoredOperation } from "./store";

/** Applies the end of an operation to its resource. Returns the `response` of a successful operation, with `@type`. */
export type Finisher = (operation: StoredOperation, succeeded: boolean, endMs: number) => JsonObject;

export interface NewOperation {
  service: Service;
  version: string;
  verb: string;
  /** `projects/{p}/locations/{l}` */
  parent: string;
  target: string;
  durationMs: number;
  failure?: OperationFailure;
  changes?: JsonObject;
  undo?: JsonObject;
  /** The response of an operation that is done at its start. */
  response?: JsonObject;
}

const CANCELLED = 1;
/** The time for which an operation is kept after its end: 30 days. */
const EXPIRY_MS = 30 * 24 * 60 * 60 * 1000;
/** The largest number of operations. The oldest ended ones are forgotten, which limits the memory of long runs. */
const MAX_KEPT = 10_000;

/**
 * Long-running operations. Nothing runs in the background: each request first ends the due operations, in the order of their
 * due times (`finishDue`). They end in the same way after a restart, and when the clock is moved.
 */
export class Operations {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly finisher: Finisher,
  ) {}

  start(request: NewOperation): StoredOperation {
    const now = this.clock.now();
    const { service, version, verb, parent, target, durationMs, failure, changes, undo, response } = request;
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
      author: this.store.currentAuthor,
      ...(failure && { failure }),
      ...(changes && { changes }),
      ...(undo && { undo }),
      ...(response && { outcome: { endMs: now, response } }),
    };
    this.store.putOperation(operation);
    this.forgetOldest();
    return operation;
  }

  /**
   * Ends due operations, forgets expired ones, and saves the changes. If they cannot be saved, the operations continue until
   * they can.
   */
  finishDue(): void {
    const now = this.clock.now();
    const due = [...this.store.running()].filter(({ dueMs }) => dueMs <= now);
    try {
      due.sort((a, b) => a.dueMs - b.dueMs).forEach((operation) => this.finish(operation, operation.dueMs));
      this.forgetExpired(now);
      this.store.commit();
    } catch (error) {
      this.store.rollback();
      // A read must not fail because the disk is full.
      if (!(error instanceof SaveError)) {
        throw error;
      }
    }
  }

  /** The API of an operation. */
  ownerOf(name: string): Service | undefined {
    return this.store.operation(name)?.service;
  }

  /** @throws ApiError NOT_FOUND for an operation of another API, or one that a client has deleted */
  find(services: readonly Service[], name: string): StoredOperation {
    const operation = this.store.operation(name);
    if (operation === undefined || !services.includes(operation.service) || operation.deleted === true) {
      throw notFound(name);
    }
    return operation;
  }

  /** The operations of a parent. A `-` in its name matches any location. */
  list(services: readonly Service[], parent: string): StoredOperation[] {
    const wanted = parent.split("/");
    return this.all().filter((operation) => {
      const segments = operation.name.split("/").slice(0, -2);
      return (
        services.includes(operation.service) &&
        segments.length === wanted.length &&
        wanted.every((segment, index) => segment === "-" || segment === segments[index]) &&
        operation.deleted !== true
      );
    });
  }

  /** All operations of all APIs, including those that were deleted while running. */
  all(): StoredOperation[] {
    return [...this.store.allOperations()];
  }

  /** Deletes an operation. A running one still completes: the client only says that it does not want the result. */
  remove(services: readonly Service[], name: string): void {
    const operation = this.find(services, name);
    if (operation.outcome === undefined) {
      this.store.putOperation({ ...operation, deleted: true });
    } else {
      this.store.removeOperation(name);
    }
  }

  /** Ends a running operation with error code 1. An ended operation is not changed. */
  cancel(services: readonly Service[], name: string): void {
    const operation = this.find(services, name);
    if (operation.outcome === undefined) {
      const failure = { code: CANCELLED, message: "Operation was cancelled." };
      this.finish({ ...operation, cancelRequested: true, failure }, this.clock.now());
    }
  }

  /** @throws ApiError ABORTED while another operation works on the resource */
  refuseIfBusy(service: Service, target: string): void {
    for (const operation of this.store.running()) {
      if (operation.service === service && operation.target === target) {
        throw new ApiError(
          "ABORTED",
          `Resource '${target}' is busy: operation '${operation.name}' (${operation.verb}) has not ended`,
        );
      }
    }
  }

  private finish(operation: StoredOperation, endMs: number): void {
    const { failure, changes: _changes, undo: _undo, ...rest } = operation;
    const { store } = this;
    const response = store.as(operation.author ?? store.currentAuthor, () =>
      this.finisher(operation, failure === undefined, endMs),
    );
    store.putOperation({
      ...rest,
      ...(failure && { failure }),
      outcome: failure ? { endMs, error: { code: failure.code, message: failure.message } } : { endMs, response },
    });
    if (operation.deleted) {
      store.removeOperation(operation.name);
    }
  }

  private forgetExpired(now: number): void {
    for (const { name, createdMs, outcome } of this.store.allOperations()) {
      // They are in the order of their start, so that no later one has expired.
      if (now - createdMs <= EXPIRY_MS) return;
      if (outcome !== undefined && now - outcome.endMs > EXPIRY_MS) this.store.removeOperation(name);
    }
  }

  private forgetOldest(): void {
    let surplus = this.store.operationCount() - MAX_KEPT;
    for (const { name, outcome } of surplus > 0 ? this.store.allOperations() : []) {
      if (surplus <= 0) {
        return;
      }
      if (outcome !== undefined) {
        this.store.removeOperation(name);
        surplus -= 1;
      }
    }
  }
}
