import { frozen, sameJson, type JsonObject } from "../messages/json";
import type { EmulatorEvent, EventFeed } from "./events";
import { History, type Author, type ResourceVersion } from "./history";
import { viewOperation } from "./operation-view";
import type { Persistence, State, StateChange } from "./persistence";
import { assign, entries, noChanges, type Changes } from "./changes";
import type { RememberedRequest, StoredOperation, StoredResource } from "./stored";

export type { OperationFailure, RememberedRequest, StoredOperation, StoredResource } from "./stored";

export interface StoreOptions {
  /** Where the state is kept; without it in memory only. */
  persistence?: Persistence;
  /** Milliseconds since the epoch, before the offset that the state holds. */
  baseClock: () => number;
  /** Where changes are told of, once they are committed. */
  feed?: EventFeed;
}

/**
 * Resources, operations, remembered requestIds and the offset of the clock. Changes take effect at once in memory;
 * `commit` makes them last, and takes all of them back when that fails, so that nothing is ever answered from a state
 * that a restart would not bring back.
 *
 * What the store hands out is frozen: only `put` and its like change anything.
 */
export class Store {
  private resources = new Map<string, StoredResource>();
  private operations = new Map<string, StoredOperation>();
  private requestIds = new Map<string, RememberedRequest>();
  private runningOperations = new Map<string, StoredOperation>();
  private lags = new Map<string, { policy: JsonObject | null; reads: number }>();
  private history = new History();
  private offsetMs = 0;
  private author: Author = { by: "control" };
  /** Whether the state is that of an earlier run. */
  readonly restored: boolean;

  /** Takes back what has changed since the last commit, last change first. */
  private undo: Array<() => void> = [];
  private changed = noChanges();
  private events: EmulatorEvent[] = [];

  constructor(private readonly options: StoreOptions) {
    const state = options.persistence?.load();
    this.restored = state !== undefined;
    if (state !== undefined) {
      this.restore(state);
    }
  }

  /** Names who makes the changes that `work` makes. */
  as<T>(author: Author, work: () => T): T {
    const before = this.author;
    this.author = author;
    try {
      return work();
    } finally {
      this.author = before;
    }
  }

  get currentAuthor(): Author {
    return this.author;
  }

  get(name: string): StoredResource | undefined {
    return this.resources.get(name);
  }

  /** The resource before its last write, as a replica shows it that lags behind. */
  getStale(name: string): StoredResource | undefined {
    const latest = this.history.latest(name);
    const wasThereFromTheStart = latest?.author.by === "seed" || latest?.author.by === "restart";
    const before = this.history.previous(name) ?? (wasThereFromTheStart ? latest : undefined);
    if (before === undefined || before.body === null) {
      return undefined;
    }
    const { service, body, policy } = before;
    return { service, name, body, ...(policy && { policy }) };
  }

  has(name: string): boolean {
    return this.resources.has(name);
  }

  all(): StoredResource[] {
    return [...this.resources.values()];
  }

  /** Names of the resources below another one, at any depth. */
  below(name: string): string[] {
    return [...this.resources.keys()].filter((other) => other.startsWith(`${name}/`));
  }

  put(resource: StoredResource): void {
    const { name } = resource;
    const before = this.resources.get(name);
    const kept = frozen(resource);
    this.set(this.resources, name, kept);
    this.changed.resources.add(name);
    const parts = (["body", "policy"] as const).filter((part) => !sameJson(before?.[part], kept[part]));
    this.record(kept, parts);
  }

  /** @returns whether it was there */
  remove(name: string): boolean {
    const before = this.resources.get(name);
    if (before === undefined) {
      return false;
    }
    this.set(this.lags, name, undefined);
    this.set(this.resources, name, undefined);
    this.changed.resources.add(name);
    this.record({ service: before.service, name }, before.policy === undefined ? ["body"] : ["body", "policy"]);
    return true;
  }

  /** Every version of a resource that is still known, oldest first. */
  versions(name: string): ResourceVersion[] {
    return this.history.of(name);
  }

  /** The next `reads` calls of `policyView` answer this policy (undefined: none) in place of the stored one. */
  lagPolicy(name: string, policy: JsonObject | undefined, reads: number): void {
    if (reads > 0) {
      this.set(this.lags, name, { policy: policy ?? null, reads });
    }
  }

  /** The policy that a read sees now. Each call counts as one read of those that lag behind the last write. */
  policyView(name: string): JsonObject | undefined {
    const lag = this.lags.get(name);
    if (lag === undefined) {
      return this.get(name)?.policy;
    }
    lag.reads -= 1;
    if (lag.reads === 0) {
      this.lags.delete(name);
    }
    return lag.policy ?? undefined;
  }

  /** An operation by its name, also one that was deleted while it runs. */
  operation(name: string): StoredOperation | undefined {
    return this.operations.get(name);
  }

  /** In the order of their start. */
  allOperations(): Iterable<StoredOperation> {
    return this.operations.values();
  }

  operationCount(): number {
    return this.operations.size;
  }

  /** The operations that have not ended, in the order of their start. */
  running(): Iterable<StoredOperation> {
    return this.runningOperations.values();
  }

  putOperation(operation: StoredOperation): void {
    const kept = frozen(operation);
    this.set(this.operations, kept.name, kept);
    this.set(this.runningOperations, kept.name, kept.outcome === undefined ? kept : undefined);
    this.changed.operations.add(kept.name);
    if (this.options.feed?.isWatched) {
      this.events.push({ type: "operation", operation: viewOperation(kept) });
    }
  }

  removeOperation(name: string): void {
    this.set(this.operations, name, undefined);
    this.set(this.runningOperations, name, undefined);
    this.changed.operations.add(name);
    this.events.push({ type: "operationGone", name });
  }

  request(key: string): RememberedRequest | undefined {
    return this.requestIds.get(key);
  }

  /** Oldest first. */
  requests(): Iterable<[string, RememberedRequest]> {
    return this.requestIds;
  }

  requestCount(): number {
    return this.requestIds.size;
  }

  /** @param remembered undefined forgets the request */
  putRequest(key: string, remembered: RememberedRequest | undefined): void {
    this.set(this.requestIds, key, remembered);
    this.changed.requestIds.add(key);
  }

  /** How far the clock has been moved forward. */
  clockOffsetMs(): number {
    return this.offsetMs;
  }

  moveClock(ms: number): void {
    const before = this.offsetMs;
    this.offsetMs += ms;
    this.changed.clock = true;
    this.undo.push(() => (this.offsetMs = before));
  }

  /** Forgets everything, also the moved clock. */
  clear(): void {
    const { resources, operations, requestIds, runningOperations, lags, history, offsetMs } = this;
    this.undo.push(() => {
      Object.assign(this, { resources, operations, requestIds, runningOperations, lags, history, offsetMs });
    });
    this.resources = new Map();
    this.operations = new Map();
    this.requestIds = new Map();
    this.runningOperations = new Map();
    this.lags = new Map();
    this.history = new History();
    this.offsetMs = 0;
    this.events = [{ type: "reset" }];
    this.changed = { ...noChanges(), cleared: true };
  }

  /**
   * Makes all changes since the last commit last, before anybody is told of them.
   *
   * @throws SaveError when they cannot be written; they are taken back then
   */
  commit(): void {
    const { changed, events } = this;
    if (this.undo.length === 0 && !changed.cleared) {
      return;
    }
    try {
      this.options.persistence?.append(this.change(changed), () => this.state());
    } catch (error) {
      this.rollback();
      throw error;
    }
    this.forgetChanges();
    events.forEach((event) => this.options.feed?.send(event));
  }

  /** Takes back all changes since the last commit. */
  rollback(): void {
    [...this.undo].reverse().forEach((takeBack) => takeBack());
    this.forgetChanges();
  }

  close(): void {
    this.options.persistence?.close(() => this.state());
  }

  private forgetChanges(): void {
    this.undo = [];
    this.events = [];
    this.changed = noChanges();
  }

  /** Sets or, with undefined, deletes an entry, so that it can be taken back. */
  private set<T>(map: Map<string, T>, key: string, value: T | undefined): void {
    const before = map.get(key);
    if (before === undefined && value === undefined) {
      return;
    }
    assign(map, key, value);
    this.undo.push(() => assign(map, key, before));
  }

  private record(
    { service, name, body, policy }: Pick<StoredResource, "service" | "name"> & Partial<StoredResource>,
    changed: ResourceVersion["changed"],
    author = this.author,
  ): void {
    const time = new Date(this.options.baseClock() + this.offsetMs).toISOString();
    const version = { time, service, author, changed, body: body ?? null, policy: policy ?? null };
    this.undo.push(this.history.record(name, version));
    const latest = this.history.latest(name);
    if (latest !== undefined) {
      this.events.push({ type: "resource", name, service, version: latest });
    }
  }

  private restore(state: State): void {
    this.offsetMs = state.clockOffsetMs;
    state.resources.map(frozen).forEach((resource) => {
      this.resources.set(resource.name, resource);
      this.record(resource, resource.policy === undefined ? ["body"] : ["body", "policy"], { by: "restart" });
    });
    state.operations.map(frozen).forEach((operation) => {
      this.operations.set(operation.name, operation);
      if (operation.outcome === undefined) {
        this.runningOperations.set(operation.name, operation);
      }
    });
    state.requestIds.forEach(({ key, ...remembered }) => this.requestIds.set(key, remembered));
    this.forgetChanges();
  }

  private state(): State {
    return {
      resources: [...this.resources.values()],
      operations: [...this.operations.values()],
      requestIds: [...this.requestIds].map(([key, remembered]) => ({ key, ...remembered })),
      clockOffsetMs: this.offsetMs,
    };
  }

  private change({ resources, operations, requestIds, clock, cleared }: Changes): StateChange {
    return {
      ...(cleared && { cleared }),
      ...(clock && { clockOffsetMs: this.offsetMs }),
      resources: entries(this.resources, resources),
      operations: entries(this.operations, operations),
      requestIds: entries(this.requestIds, requestIds),
    };
  }
}
