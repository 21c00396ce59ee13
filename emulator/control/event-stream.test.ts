import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import type { EmulatorEvent } from "../state/events";
import { streamEvents } from "./event-stream";

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A response whose client reads nothing: what is written waits. */
class Response extends EventEmitter {
  written = "";
  writableLength = 0;
  destroyed = false;
  writeHead(): void {}
  write(text: string): void {
    this.written += text;
    this.writableLength += text.length;
  }
  end(): void {}
  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

function streaming() {
  const response = new Response();
  const listeners = new Set<(event: EmulatorEvent) => void>();
  const subscribe = (listener: (event: EmulatorEvent) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const done = streamEvents(response as unknown as ServerResponse, subscribe, new AbortController().signal);
  return { response, done, listeners, send: (event: EmulatorEvent) => listeners.forEach((each) => each(event)) };
}

test("a client without events gets a comment every 15 seconds, so that no proxy closes the connection", () => {
  const { response } = streaming();
  jest.advanceTimersByTime(45_000);
  expect(response.written.match(/^: still here$/gm)).toHaveLength(3);
});

test("a client that reads nothing is disconnected after 4 MB, and gets no further events", async () => {
  const { response, done, listeners, send } = streaming();
  const event = { type: "resource", note: "n".repeat(100_000) } as unknown as EmulatorEvent;
  for (let number = 0; number < 50; number++) send(event);
  expect(response.destroyed).toBe(true);
  expect(response.written.length).toBeLessThan(4.5 * 1024 * 1024);
  await done;
  expect(listeners.size).toBe(0);
});
