import { EventEmitter } from "node:events";
import type { RequestRecord } from "./request-log";
import type { ResourceVersion } from "./history";
import type { OperationView } from "./operation-view";

/**
 * What happened in the emulator. Every event is sent after its change is complete and, with a data folder, safe on disk;
 * a change that is taken back because it could not be saved is never sent. Events of one change keep their order.
 *
 * - `request`: an API or token request has been answered or given up.
 * - `resource`: a resource has been created, changed or removed (`version.body` is null); see `ResourceVersion`.
 * - `operation`: an operation has started, ended or been deleted while it runs; see `OperationView`. Progress in between
 *   follows from its `createTime` and `dueTime`.
 * - `operationGone`: an operation that had ended was deleted, or is too old to be kept.
 * - `requestsCleared`: the log of requests is empty; numbers start again at 1.
 * - `settings`: switches, fault plan or clock have changed.
 * - `reset`: all of the above is as at the start; what was shown before is gone.
 */
export type EmulatorEvent =
  | { type: "request"; record: RequestRecord }
  | { type: "resource"; name: string; service: string; version: ResourceVersion }
  | { type: "operation"; operation: OperationView }
  | { type: "operationGone"; name: string }
  | { type: "requestsCleared" }
  | { type: "settings" }
  | { type: "reset" };

/** Passes events to whoever listens. */
export class EventFeed {
  private readonly emitter = new EventEmitter().setMaxListeners(0);

  /** @returns ends the subscription */
  subscribe(listener: (event: EmulatorEvent) => void): () => void {
    const guarded = (event: EmulatorEvent): void => {
      try {
        listener(event);
      } catch (error) {
        // A listener's mistake must not become a failed request.
        process.emitWarning(error instanceof Error ? error : String(error), { code: "EMULATOR_LISTENER" });
      }
    };
    this.emitter.on("event", guarded);
    return () => void this.emitter.off("event", guarded);
  }

  /** Whether anybody listens. Without listeners, events that cost something to make need not be made. */
  get isWatched(): boolean {
    return this.emitter.listenerCount("event") > 0;
  }

  send(event: EmulatorEvent): void {
    this.emitter.emit("event", event);
  }
}
