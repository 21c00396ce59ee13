import { onAbort, startCall, type Call } from "../http/call";
import type { Clock } from "../http/clock";

/**
 * A call of the engine for tests: by default it lasts ten minutes and keeps its status lines.
 *
 * @param signal stops the call when it is aborted.
 */
export function testCall(
  clock: Clock,
  { timeout = 600_000, signal }: { timeout?: number; signal?: AbortSignal } = {},
): Call & { statuses: string[] } {
  const statuses: string[] = [];
  const reporter = { status: (message: string) => void statuses.push(message), info: () => {}, warning: () => {} };
  const { call, stop } = startCall(clock, timeout, { reporter });
  if (signal) onAbort(signal, stop);
  return { ...call, statuses };
}
