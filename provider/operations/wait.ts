import { NotFoundError } from "../core/errors";
import { pause, type Call } from "../http/call";
import type { ApiClient } from "../http/client";
import { operationOf, type Operation } from "./operation";

/** A fresh operation may not be readable everywhere at once: for so long, NOT_FOUND is no answer (docs/wire.md section 6). */
const TOLERATE_MISSING_MS = 10_000;
/**
 * The interval between polls is this part of the time passed: the end of an operation is seen at most 5 % late, and the
 * number of polls grows only with the logarithm of the time.
 */
const INTERVAL_PER_ELAPSED = 0.05;
/**
 * A young operation is asked about after as long again as it is old, between these two: what takes no time then costs next
 * to none, and a long operation two polls more.
 */
const FIRST_INTERVAL_MS = 40;
const SHORTEST_INTERVAL_MS = 150;
const LONGEST_INTERVAL_MS = 10_000;

/**
 * Milliseconds to wait before the next poll, `elapsed` milliseconds after the wait began. Up to a quarter is taken off at
 * random, so that the resources of one run do not poll in step.
 */
export function pollInterval(elapsed: number, random: () => number): number {
  const least = Math.min(SHORTEST_INTERVAL_MS, Math.max(FIRST_INTERVAL_MS, elapsed));
  const step = Math.min(LONGEST_INTERVAL_MS, Math.max(least, elapsed * INTERVAL_PER_ELAPSED));
  return step * (0.75 + 0.25 * random());
}

/**
 * Polls an operation until it is done, and returns it as it is then. It may have failed: the caller looks at `error`.
 *
 * @param doing for the status line: "creating".
 * @throws TimeoutError or CancelledError when the call ends first: the operation goes on in the cloud. What a read throws.
 */
export async function waitForOperation(
  client: ApiClient,
  begun: Operation,
  call: Call,
  doing: string,
): Promise<Operation> {
  const start = client.clock.now();
  const resource = begun.target ?? begun.name;
  const waiting = "wait for the operation on";
  let operation = begun;
  while (!operation.done) {
    const elapsed = client.clock.now() - start;
    call.reporter.status(progress(operation, elapsed, call.deadline - start, doing));
    await pause(
      call,
      client.clock,
      pollInterval(elapsed, () => client.clock.random()),
      `${waiting} ${resource}`,
    );
    try {
      const request = { kind: "read", method: "GET", path: begun.name, doing: waiting, resource } as const;
      operation = { ...begun, ...operationOf(await client.request(request, call)) };
    } catch (error) {
      const young = client.clock.now() - start < TOLERATE_MISSING_MS;
      if (!(error instanceof NotFoundError && young)) throw error;
    }
  }
  return operation;
}

function progress(operation: Operation, elapsed: number, limit: number, doing: string): string {
  const id = operation.name.split("/").at(-1) ?? "";
  return `${doing}: ${seconds(elapsed)} of at most ${seconds(limit)} (operation ${id})`;
}

function seconds(ms: number): string {
  const total = Math.round(ms / 1000);
  return total < 60 ? `${total} s` : `${Math.floor(total / 60)} min ${total % 60} s`;
}

/** For how long after an operation's end reads may not show what it did. After that, it counts as not done. */
export const APPEARS_WITHIN_MS = 5_000;
const BETWEEN_READS_MS = 500;

/**
 * Reads until the answer shows what an operation did: reads may lag behind it.
 *
 * @param looking `shown`: whether an answer shows it. `within`: milliseconds to go on looking. `doing`: for messages, to be
 *   read on from "trying to".
 * @returns the last answer, whether it shows it or not.
 */
export async function readUntil<T>(
  client: ApiClient,
  { shown, within, doing }: { shown: (answer: T) => boolean; within: number; doing: string },
  call: Call,
  read: () => Promise<T>,
): Promise<T> {
  const { clock } = client;
  const until = clock.now() + within;
  for (;;) {
    const answer = await read();
    if (shown(answer) || clock.now() >= until) return answer;
    await pause(call, clock, BETWEEN_READS_MS, doing);
  }
}
