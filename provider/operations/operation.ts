import { apiError, RPC_STATUSES, statusOfRpc, type ApiError } from "../core/errors";
import { isRecord, listOf, textOf, type Values } from "../core/unknown";

/**
 * `google.longrunning.Operation` with the `OperationMetadata` of these APIs, as far as the provider reads it (docs/wire.md
 * section 6). Times are milliseconds since the epoch, by the server's clock. A time without a fraction of a second may have
 * lost it: it counts as the end of that second.
 */
export interface Operation {
  /** `projects/{project}/locations/{location}/operations/{operation}`. */
  name: string;
  done: boolean;
  /** `google.rpc.Status` with the numeric code; only when done. */
  error?: { code: number; message: string; details: readonly unknown[] };
  /** Full name of the resource that the operation works on. */
  target?: string;
  began?: number;
  ended?: number;
  /** Milliseconds from its beginning to its end: the least that its times can mean. */
  lasted?: number;
}

/** The operation in an answer. Without a name in the answer, its name is empty. */
export function operationOf(answer: Values): Operation {
  const metadata = isRecord(answer.metadata) ? answer.metadata : {};
  const response = isRecord(answer.response) ? answer.response : {};
  const target = [metadata.target, response.name].map(textOf).find((each) => each !== "");
  const [began, ended] = [instantsOf(metadata.createTime), instantsOf(metadata.endTime)];
  return {
    name: textOf(answer.name),
    done: answer.done === true,
    ...(target === undefined ? {} : { target }),
    ...(began && { began: began.latest }),
    ...(ended && { ended: ended.latest }),
    ...(began && ended && { lasted: Math.max(0, ended.earliest - began.latest) }),
    ...(isRecord(answer.error)
      ? {
          error: {
            code: typeof answer.error.code === "number" ? answer.error.code : RPC_STATUSES.UNKNOWN.rpc,
            message: textOf(answer.error.message),
            details: listOf(answer.error.details),
          },
        }
      : {}),
  };
}

/** The first and the last instant that a timestamp can mean: one without a fraction of a second may have lost it. */
function instantsOf(timestamp: unknown): { earliest: number; latest: number } | undefined {
  const text = textOf(timestamp);
  const time = Date.parse(text);
  if (Number.isNaN(time)) return undefined;
  return { earliest: time, latest: text.includes(".") ? time : time + 999 };
}

/**
 * The error that an operation ended in; undefined when it succeeded.
 *
 * @param doing for the message, to be read on from "Could not": "create the firewall endpoint association".
 */
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
    // The server began the change: only a look at the resource tells what a failed operation left behind.
    effect: "unknown",
  });
}
