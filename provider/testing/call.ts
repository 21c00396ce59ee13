import { setMaxListeners } from "node:events";
import type { Call } from "../http/call";
import type { Clock } from "../http/clock";

/** A call of the engine for tests: by default it lasts ten minutes and keeps its status lines. */
export function testCall(
  clock: Clock,
  { timeout = 600_000, signal = new AbortController().signal }: { timeout?: number; signal?: AbortSignal } = {},
): Call & { statuses: string[] } {
  const statuses: string[] = [];
  // Like the provider's own: any number of changes in a test can share it.
  setMaxListeners(0, signal);
  return {
    signal,
    deadline: clock.now() + timeout,
    reporter: { status: (message) => statuses.push(message), info: () => {}, warning: () => {} },
    statuses,
  };
}
