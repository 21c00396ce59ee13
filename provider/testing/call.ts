import { setMaxListeners } from "node:events";
import type { Call } from "../http/call";
import type { Clock } from "../http/clock";

/** A call of the engine as tests make it: by default one that lasts ten minutes, whose status lines are kept. */
export function testCall(
  clock: Clock,
  { timeout = 600_000, signal = new AbortController().signal }: { timeout?: number; signal?: AbortSignal } = {},
): Call & { statuses: string[] } {
  const statuses: string[] = [];
  // As the provider's own: as many changes as a test likes share it.
  setMaxListeners(0, signal);
  return {
    signal,
    deadline: clock.now() + timeout,
    reporter: { status: (message) => statuses.push(message), info: () => {}, warning: () => {} },
    statuses,
  };
}
