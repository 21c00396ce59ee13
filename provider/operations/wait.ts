import { NotFoundError } from "../core/errors";
import { pause, type Call } from "../http/call";
import type { ApiClient } from "../http/client";
import type { Clock } from "../http/clock";
import { operationOf, type Operation } from "./operation";

/** How long NOT_FOUND is tolerated: a new operation may not be readable everywhere at once (docs/wire.md section 6). */
const TOLERATE_MISSING_MS = 10_000;
/**
 * The interval between polls as a share of the elapsed time: the end of an operation is seen at most 5 % late, and the
 * number of polls grows only with the logarithm of the time.
 */
const INTERVAL_PER_ELAPSED = 0.05;
/** A new operation is polled when its age has doubled, within these limits, so that polling delays a short one little. */
const FIRST_INTERVAL_MS = 40;
const SHORTEST_INTERVAL_MS = 150;
const LONGEST_INTERVAL_MS = 10_000;

/**
 * Milliseconds to wait before the next poll, `elapsed` milliseconds after the wait began. It is shortened at random by up to
 * a quarter, so that the resources of one run do not poll at the same moments.
 */
export function pollInterval(elapsed: number, random: () => number): number {
  const least = Math.min(SHORTEST_INTERVAL_MS, Math.max(FIRST_INTERVAL_MS, elapsed));
  const step = Math.min(LONGEST_INTERVAL_MS, Math.max(least, elapsed * INTERVAL_PER_ELAPSED));
  return step * (0.75 + 0.25 * random());
}

/** An operation that has ended. */
export interface EndedOperation extends Operation {
  /** Whether a poll found it running: only then is it certain that it ran after the request whose response named it. */
  wasRunning: boolean;
}

/**
 * Polls an operation until it is done. It may have failed: the caller checks `error`.
 *
 * @param doing for the status line: "creating".
 * @throws TimeoutError or CancelledError when the call ends first; the operation then continues in the cloud. What a read
 *   throws.
 */
export async function waitForOperation(
  client: ApiClient,
  started: Operation,
  call: Call,
  doing: string,
): Promise<EndedOperation> {
  const start = client.clock.now();
  const resource = started.target ?? started.name;
  const waiting = "wait for the operation on";
  const request = { kind: "read", method: "GET", path: started.name, doing: waiting, resource } as const;
  let operation = started;
  let wasRunning = false;
  while (!operation.done) {
    const elapsed = client.clock.now() - start;
    call.reporter.status(progress(started, elapsed, call.deadline - start, doing));
    const interval = pollInterval(elapsed, () => client.clock.random());
    await pause(call, client.clock, interval, `${waiting} ${resource}`);
    try {
      operation = { ...started, ...operationOf(await client.request(request, call)), name: started.name };
      wasRunning ||= !operation.done;
    } catch (error) {
      const young = client.clock.now() - start < TOLERATE_MISSING_MS;
      if (!(error instanceof NotFoundError && young)) throw error;
    }
  }
  return { ...operation, wasRunning };
}

function progress(operation: Operation, elapsed: number, limit: number, doing: string): string {
  const id = operation.name.split("/").at(-1) ?? "";
  return `${doing}: ${seconds(elapsed)} of at most ${seconds(limit)} (operation ${id})`;
}

function seconds(ms: number): string {
  const total = Math.round(ms / 1000);
  return total < 60 ? `${total} s` : `${Math.floor(total / 60)} min ${total % 60} s`;
}

/** How long reads may lag behind the end of an operation. After that, its effect counts as missing. */
const READS_LAG_MS = 5_000;
const BETWEEN_READS_MS = 500;

/**
 * Reads a resource until the response shows the effect of an operation that has just ended.
 *
 * @param read.shows whether an answer shows the effect.
 * @param doing for messages, to be read on from "trying to".
 * @returns the last response, whether it shows the effect or not.
 */
export async function readUntil<T>(
  clock: Clock,
  { read, shows }: { read: () => Promise<T>; shows: (answer: T) => boolean },
  call: Call,
  doing: string,
): Promise<T> {
  const until = clock.now() + READS_LAG_MS;
  for (;;) {
    const answer = await read();
    if (shows(answer) || clock.now() >= until) return answer;
    await pause(call, clock, BETWEEN_READS_MS, doing);
  }
}
