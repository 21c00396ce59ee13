import { EventEmitter } from "node:events";
import type { RequestRecord } from "./request-log";
import type { ResourceVersion } from "./history";
import type { OperationView } from "./operation-view";

/**
 * An event of the emulator. It is sent after its change is complete and, with a data folder, saved. A change that is rolled
 * back because it could not be saved sends no events. Events of a change keep their order.
 *
 * - `request`: an API or token request was answered or abandoned.
 * - `resource`: a resource was created, changed or removed (`version.body` is null); see `ResourceVersion`.
 * - `operation`: an operation was started, ended, or deleted while running; see `OperationView`. Its progress follows from
 *   `createTime` and `dueTime`.
 * - `operationGone`: an ended operation was deleted, or has expired.
 * - `requestsCleared`: the request log was cleared; numbers start again at 1.
 * - `settings`: switches, the fault plan or the clock have changed.
 * - `reset`: everything above was reset to the start.
 */
export type EmulatorEvent =
  | { type: "request"; record: RequestRecord }
  | { type: "resource"; name: string; service: string; version: ResourceVersion }
  | { type: "operation"; operation: OperationView }
  | { type: "operationGone"; name: string }
  | { type: "requestsCleared" }
  | { type: "settings" }
  | { type: "reset" };

/** Sends events to the listeners. */
export class EventFeed {
  private readonly emitter = new EventEmitter().setMaxListeners(0);

  /** @returns ends the subscription */
  subscribe(listener: (event: EmulatorEvent) => void): () => void {
    const guarded = (event: EmulatorEvent): void => {
      try {
        listener(event);
      } catch (error) {
        // An error in a listener must not make the request fail.
        process.emitWarning(error instanceof Error ? error : String(error), { code: "EMULATOR_LISTENER" });
      }
    };
    this.emitter.on("event", guarded);
    return () => void this.emitter.off("event", guarded);
  }

  /** Whether there are listeners. Without them, expensive events need not be made. */
  get isWatched(): boolean {
    return this.emitter.listenerCount("event") > 0;
  }

  send(event: EmulatorEvent): void {
    this.emitter.emit("event", event);
  }
}
