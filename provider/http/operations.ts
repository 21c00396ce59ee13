import { apiError, NotFoundError, statusOfRpc, type ApiError } from "../core/errors";
import { isRecord, type Values } from "../core/unknown";
import { pause, type Call } from "./call";
import type { ApiClient } from "./client";

/** `google.longrunning.Operation`, as far as anybody reads it. */
export interface Operation {
  /** `projects/{project}/locations/{location}/operations/{operation}`. */
  name: string;
  done: boolean;
  /** `google.rpc.Status` with the numeric code; only when done. */
  error?: { code: number; message: string; details: unknown[] };
  /** Name of the resource that the operation works on. */
  target?: string;
  /** When it ended by the server's clock, in milliseconds since the epoch. */
  ended?: number;
}

/** The operation in an answer. */
export function operationOf(answer: Values): Operation {
  const metadata = isRecord(answer.metadata) ? answer.metadata : {};
  const response = isRecord(answer.response) ? answer.response : {};
  const target = [metadata.target, response.name].find(
    (each): each is string => typeof each === "string" && each !== "",
  );
  return {
    name: typeof answer.name === "string" ? answer.name : "",
    done: answer.done === true,
    ...(target ? { target } : {}),
    ...(typeof metadata.endTime === "string" ? { ended: Date.parse(metadata.endTime) } : {}),
    ...(isRecord(answer.error)
      ? {
          error: {
            code: typeof answer.error.code === "number" ? answer.error.code : 2,
            message: typeof answer.error.message === "string" ? answer.error.message : "",
            details: Array.isArray(answer.error.details) ? (answer.error.details as unknown[]) : [],
          },
        }
      : {}),
  };
}

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

/** The error that an operation ended in; undefined when it succeeded. */
export function operationError(operation: Operation, doing: string, resource: string): ApiError | undefined {
  if (!operation.error) return undefined;
  const { code, message, details } = operation.error;
  return apiError({
    doing,
    resource,
    request: `operation ${operation.name}`,
    status: statusOfRpc(code),
    message,
    details,
    // The server began: what a failed operation leaves behind, only a look tells.
    effect: "unknown",
  });
}
