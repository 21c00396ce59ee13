import type { Service } from "../control/config";
import { clone, type JsonObject } from "../messages/json";

export interface StoredResource {
  service: Service;
  /** Full resource name, e.g. `projects/p/locations/l/scopes/s`. */
  name: string;
  body: JsonObject;
  /** In wire form, etag included; absent until a policy is set. */
  policy?: JsonObject;
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
  /** The body that the resource gets when it succeeds; absent for create and delete. */
  body?: JsonObject;
  /** When it fails: fields to put back as they were, null for those to remove. */
  undo?: JsonObject;
  outcome?: { endMs: number; error?: { code: number; message: string }; response?: JsonObject };
}

/** Everything that outlives a restart. */
export interface State {
  resources: StoredResource[];
  operations: StoredOperation[];
  /** requestIds: key, name of the operation that answered first, time in ms. */
  requestIds: Array<{ key: string; operation: string; atMs: number }>;
}

/** Where the state is kept between runs. */
export interface Persistence {
  load(): State | undefined;
  save(state: State): void;
}

export const noPersistence: Persistence = { load: () => undefined, save: () => undefined };

/** A resource before its last write. `body` is null where it did not exist, `policy` where it had none. */
interface Earlier {
  body: JsonObject | null;
  policy: JsonObject | null;
}

/** Resources, operations and remembered requestIds. Of resources callers get copies: only `put` and `remove` change them. */
export class Store {
  private readonly resources = new Map<string, StoredResource>();
  private readonly earlier = new Map<string, Earlier>();
  private readonly lags = new Map<string, { policy: JsonObject | null; reads: number }>();
  readonly operations = new Map<string, StoredOperation>();
  readonly requestIds = new Map<string, { operation: string; atMs: number }>();
  /** Whether the state is that of an earlier run. */
  readonly restored: boolean;
  private dirty = false;

  constructor(private readonly persistence: Persistence = noPersistence) {
    const state = persistence.load();
    this.restored = state !== undefined;
    state?.resources.forEach((resource) => this.resources.set(resource.name, resource));
    state?.operations.forEach((operation) => this.operations.set(operation.name, operation));
    state?.requestIds.forEach(({ key, ...remembered }) => this.requestIds.set(key, remembered));
  }

  get(name: string): StoredResource | undefined {
    const found = this.resources.get(name);
    return found && clone(found);
  }

  /** The resource before its last write, as a replica shows it that lags behind. */
  getStale(name: string): StoredResource | undefined {
    const earlier = this.earlier.get(name);
    const current = this.get(name);
    if (earlier === undefined) {
      return current;
    }
    if (earlier.body === null || current === undefined) {
      return undefined;
    }
    return clone({ ...current, body: earlier.body, policy: earlier.policy ?? undefined });
  }

  has(name: string): boolean {
    return this.resources.has(name);
  }

  all(): StoredResource[] {
    return [...this.resources.values()].map(clone);
  }

  /** Names of the resources below another one, at any depth. */
  below(name: string): string[] {
    return [...this.resources.keys()].filter((other) => other.startsWith(`${name}/`));
  }

  put(resource: StoredResource): void {
    this.remember(resource.name);
    this.resources.set(resource.name, clone(resource));
    this.touch();
  }

  remove(name: string): boolean {
    this.remember(name);
    this.lags.delete(name);
    this.touch();
    return this.resources.delete(name);
  }

  /** The next `reads` calls of `policyView` answer this policy in place of the stored one. */
  lagPolicy(name: string, policy: JsonObject | undefined, reads: number): void {
    if (reads > 0) {
      this.lags.set(name, { policy: policy === undefined ? null : clone(policy), reads });
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
    return lag.policy === null ? undefined : clone(lag.policy);
  }

  /** Call it after changing `operations` or `requestIds`. */
  touch(): void {
    this.dirty = true;
  }

  /** Saves the state if anything changed. Called before each answer is sent, so that no answered write is lost. */
  flush(): void {
    if (!this.dirty) {
      return;
    }
    this.persistence.save({
      resources: [...this.resources.values()],
      operations: [...this.operations.values()],
      requestIds: [...this.requestIds].map(([key, remembered]) => ({ key, ...remembered })),
    });
    this.dirty = false;
  }

  clear(): void {
    this.resources.clear();
    this.earlier.clear();
    this.lags.clear();
    this.operations.clear();
    this.requestIds.clear();
    this.touch();
  }

  private remember(name: string): void {
    const current = this.resources.get(name);
    this.earlier.set(name, { body: current?.body ?? null, policy: current?.policy ?? null });
  }
}
