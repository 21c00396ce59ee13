import { SERVICES, type Service } from "../base/api";
import { frozen, sameJson, type JsonObject } from "../base/json";
import type { EmulatorEvent, EventFeed } from "./events";
import { History, type Author, type ResourceVersion } from "./history";
import { viewOperation } from "./operation-view";
import type { Persistence, State, StateChange } from "./persistence";
import { resourceKey, type RememberedRequest, type StoredOperation, type StoredResource } from "./stored";

export type { OperationFailure, RememberedRequest, StoredOperation, StoredResource } from "./stored";

/** The changes since the last commit, by key. */
interface Changes {
  resources: Set<string>;
  operations: Set<string>;
  requestIds: Set<string>;
  clock: boolean;
  cleared: boolean;
}

function noChanges(): Changes {
  return { resources: new Set(), operations: new Set(), requestIds: new Set(), clock: false, cleared: false };
}

export interface StoreOptions {
  /** The storage of the state. Without it, the state is in memory only. */
  persistence?: Persistence;
  /** The base clock in milliseconds since the epoch, without the offset in the state. */
  baseClock: () => number;
  /** Receives the events of each committed change. */
  feed?: EventFeed;
}

/**
 * Resources, operations, remembered requestIds and the offset of the clock. Changes take effect in memory at once. `commit`
 * saves them, or rolls all of them back if that fails, so that no response shows a state that a restart would not restore.
 *
 * Returned values are frozen: only methods such as `put` change the state.
 */
export class Store {
  /** Resources by `resourceKey`, like lags and history. */
  private resources = new Map<string, StoredResource>();
  private operations = new Map<string, StoredOperation>();
  private requestIds = new Map<string, RememberedRequest>();
  private runningOperations = new Map<string, StoredOperation>();
  private lags = new Map<string, { policy: JsonObject | null; reads: number }>();
  private history = new History();
  private offsetMs = 0;
  private author: Author = { by: "control" };
  /** Whether the state is from an earlier run. */
  readonly restored: boolean;

  /** The functions that undo the changes since the last commit; the last change is undone first. */
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

  /** Sets the author of the changes in `work`. */
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

  get(service: Service, name: string): StoredResource | undefined {
    return this.resources.get(resourceKey({ service, name }));
  }

  /** The resource before its last write, as a stale replica shows it. */
  getStale(service: Service, name: string): StoredResource | undefined {
    const key = resourceKey({ service, name });
    const latest = this.history.latest(key);
    const wasThereFromTheStart = latest?.author.by === "seed" || latest?.author.by === "restart";
    const before = this.history.previous(key) ?? (wasThereFromTheStart ? latest : undefined);
    if (before === undefined || before.body === null) {
      return undefined;
    }
    const { body, policy } = before;
    return { service, name, body, ...(policy && { policy }) };
  }

  has(service: Service, name: string): boolean {
    return this.resources.has(resourceKey({ service, name }));
  }

  /** Whether a resource is in the one of this name. */
  hasWithin(service: Service, name: string): boolean {
    const prefix = resourceKey({ service, name: `${name}/` });
    for (const key of this.resources.keys()) if (key.startsWith(prefix)) return true;
    return false;
  }

  /** The APIs that have a resource with this name; rarely more than one. */
  servicesOf(name: string): Service[] {
    return SERVICES.filter((service) => this.has(service, name));
  }

  all(): StoredResource[] {
    return [...this.resources.values()];
  }

  /** The names of the resources of the same API below a resource, at any depth. */
  below(service: Service, name: string): string[] {
    return this.all().flatMap((other) =>
      other.service === service && other.name.startsWith(`${name}/`) ? [other.name] : [],
    );
  }

  put(resource: StoredResource): void {
    const key = resourceKey(resource);
    const before = this.resources.get(key);
    const kept = frozen(resource);
    this.set(this.resources, key, kept);
    this.changed.resources.add(key);
    const parts = (["body", "policy"] as const).filter((part) => !sameJson(before?.[part], kept[part]));
    this.record(kept, parts);
  }

  /** @returns whether it was there */
  remove(service: Service, name: string): boolean {
    const key = resourceKey({ service, name });
    const before = this.resources.get(key);
    if (before === undefined) {
      return false;
    }
    this.set(this.lags, key, undefined);
    this.set(this.resources, key, undefined);
    this.changed.resources.add(key);
    this.record({ service, name }, before.policy === undefined ? ["body"] : ["body", "policy"]);
    return true;
  }

  /** All known versions of a resource, oldest first. */
  versions(service: Service, name: string): ResourceVersion[] {
    return this.history.of(resourceKey({ service, name }));
  }

  /** The next `reads` calls of `policyView` return this policy (undefined: no policy) instead of the stored one. */
  lagPolicy(service: Service, name: string, policy: JsonObject | undefined, reads: number): void {
    if (reads > 0) {
      this.set(this.lags, resourceKey({ service, name }), { policy: policy ?? null, reads });
    }
  }

  /** The policy that a read sees now. Each call counts as one of the stale reads after the last write. */
  policyView(service: Service, name: string): JsonObject | undefined {
    const key = resourceKey({ service, name });
    const lag = this.lags.get(key);
    if (lag === undefined) {
      return this.resources.get(key)?.policy;
    }
    lag.reads -= 1;
    if (lag.reads === 0) {
      this.lags.delete(key);
    }
    return lag.policy ?? undefined;
  }

  /** Returns an operation by name, even if it was deleted while running. */
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

  /** The running operations, in the order of their start. */
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

  /** How far the clock was moved forward. */
  clockOffsetMs(): number {
    return this.offsetMs;
  }

  moveClock(ms: number): void {
    const before = this.offsetMs;
    this.offsetMs += ms;
    this.changed.clock = true;
    this.undo.push(() => (this.offsetMs = before));
  }

  /** Removes all state, including the offset of the clock. */
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
   * Saves all changes since the last commit, and then sends their events.
   *
   * @param saved applies further parts of the change, such as settings, after saving and before the events
   * @throws SaveError when the changes cannot be saved; then they are rolled back
   */
  commit(saved: () => void = () => undefined): void {
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
    saved();
    events.forEach((event) => this.options.feed?.send(event));
  }

  /** Rolls back all changes since the last commit. */
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

  /** Sets an entry or, with undefined, deletes it, and remembers how to undo this. */
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
    const key = resourceKey({ service, name });
    this.undo.push(this.history.record(key, version));
    const latest = this.history.latest(key);
    if (latest !== undefined) {
      this.events.push({ type: "resource", name, service, version: latest });
    }
  }

  private restore(state: State): void {
    this.offsetMs = state.clockOffsetMs;
    state.resources.map(frozen).forEach((resource) => {
      this.resources.set(resourceKey(resource), resource);
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

/** The current values of some keys; null for a deleted entry. */
function entries<T>(map: ReadonlyMap<string, T>, keys: ReadonlySet<string>): Array<[string, T | null]> {
  return [...keys].map((key) => [key, map.get(key) ?? null]);
}

/** Sets an entry or, with undefined, deletes it. */
function assign<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) {
    map.delete(key);
  } else {
    map.set(key, value);
  }
}
