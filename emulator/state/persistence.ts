import type { RememberedRequest, StoredOperation, StoredResource } from "./stored";

/** The state that is kept across restarts. */
export interface State {
  resources: StoredResource[];
  operations: StoredOperation[];
  /** The requestIds: key, name of the first operation, time in ms. */
  requestIds: Array<{ key: string } & RememberedRequest>;
  /** How far the clock was moved forward. */
  clockOffsetMs: number;
}

/** The changes of a request. Entries have the complete new value, or null when removed, so a change can be applied twice. */
export interface StateChange {
  /** Whether this change removes all earlier state. */
  cleared?: boolean;
  clockOffsetMs?: number;
  resources: Array<[string, StoredResource | null]>;
  operations: Array<[string, StoredOperation | null]>;
  requestIds: Array<[string, RememberedRequest | null]>;
}

/** Storage of the state between runs. */
export interface Persistence {
  load(): State | undefined;
  /**
   * Saves a change before it returns.
   *
   * @param state the complete state after the change
   * @throws SaveError when the change cannot be saved; then no part of it is kept
   */
  append(change: StateChange, state: () => State): void;
  close(state: () => State): void;
}

/** A change could not be saved and was rolled back. */
export class SaveError extends Error {
  constructor(reason: string, options?: { cause?: unknown }) {
    super(`The emulator could not save its state, so nothing was changed: ${reason}`, options);
    this.name = "SaveError";
  }
}
