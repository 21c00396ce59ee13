import type { ServerResponse } from "node:http";
import type { EmulatorEvent } from "../state/events";

const HEARTBEAT_MS = 15_000;
/** The limit of unsent data. A slow client that exceeds it is disconnected, and can connect again. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/**
 * Sends server-sent events (`event: resource`, `data:` with its JSON) until the client disconnects or the server stops.
 *
 * @param subscribe registers the listener and returns a function that removes it
 */
export function streamEvents(
  response: ServerResponse,
  subscribe: (listener: (event: EmulatorEvent) => void) => () => void,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  });
  const send = (text: string): void => {
    if (response.writableLength > MAX_WAITING_BYTES) {
      response.destroy();
    } else {
      response.write(text);
    }
  };
  send(": connected\n\n");
  const unsubscribe = subscribe((event) => send(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
  const heartbeat = setInterval(() => send(": still here\n\n"), HEARTBEAT_MS);
  return new Promise((resolve) => {
    const end = (): void => {
      unsubscribe();
      clearInterval(heartbeat);
      signal.removeEventListener("abort", end);
      response.end();
      resolve();
    };
    response.once("close", end);
    signal.addEventListener("abort", end);
  });
}
