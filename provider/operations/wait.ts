import { NotFoundError } from "../core/errors";
import { pause, type Call } from "../http/call";
import type { ApiClient } from "../http/client";
import { operationOf, type Operation } from "./operation";

/** A fresh operation may not be readable everywhere at once (wire reference section 6: Terraform puts up with it too). */
const TOLERATE_MISSING_MS = 10_000;
/** An interval of a twentieth of the time passed keeps the overhead under 5 %, and polls grow with its logarithm. */
const INTERVAL_PER_ELAPSED = 0.05;
const SHORTEST_INTERVAL = 150;
const LONGEST_INTERVAL = 10_000;

/** How long to wait before the next poll, `elapsed` milliseconds after the operation began. Jitter only shortens. */
export function pollInterval(elapsed: number, random: () => number): number {
  const step = Math.min(LONGEST_INTERVAL, Math.max(SHORTEST_INTERVAL, elapsed * INTERVAL_PER_ELAPSED));
  return step * (0.75 + 0.25 * random());
}

/**
 * Polls an operation until it is done, and answers it. The caller looks at `error`.
 *
 * @throws TimeoutError, CancelledError when the call ends first: the operation goes on without us.
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

/** How long what an operation did may still be missing from reads before it counts as not done. */
export const APPEARS_WITHIN_MS = 5_000;
const BETWEEN_READS_MS = 500;

/** What a read answers once it shows what an operation did, or after so long: reads may lag behind the operation. */
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
