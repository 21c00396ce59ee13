import type { ServerResponse } from "node:http";
import type { EmulatorEvent } from "../state/events";

const HEARTBEAT_MS = 15_000;
/** A client that reads more slowly than this piles up is let go; it can connect again. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/**
 * Sends events as server-sent events (`event: resource`, `data:` its JSON) until the client leaves or the server stops.
 *
 * @param subscribe hands over the listener, and returns what ends the subscription
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
