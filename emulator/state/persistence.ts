import type { RememberedRequest, StoredOperation, StoredResource } from "./stored";

/** Everything that outlives a restart. */
export interface State {
  resources: StoredResource[];
  operations: StoredOperation[];
  /** requestIds: key, name of the operation that answered first, time in ms. */
  requestIds: Array<{ key: string } & RememberedRequest>;
  /** How far the clock has been moved forward. */
  clockOffsetMs: number;
}

/** What one request changed. Entries carry the whole new value, null where it is gone, so a change can be applied twice. */
export interface StateChange {
  /** Everything before this change is gone. */
  cleared?: boolean;
  clockOffsetMs?: number;
  resources: Array<[string, StoredResource | null]>;
  operations: Array<[string, StoredOperation | null]>;
  requestIds: Array<[string, RememberedRequest | null]>;
}

/** Where the state is kept between runs. */
export interface Persistence {
  load(): State | undefined;
  /**
   * Makes a change last before it returns.
   *
   * @param state all of it after the change
   * @throws SaveError when it cannot; nothing of the change is kept then
   */
  append(change: StateChange, state: () => State): void;
  close(state: () => State): void;
}

/** A change that could not be written and has been taken back. */
export class SaveError extends Error {
  constructor(reason: string, options?: { cause?: unknown }) {
    super(`The emulator could not save its state, so nothing was changed: ${reason}`, options);
    this.name = "SaveError";
  }
}
