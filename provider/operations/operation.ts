import { apiError, statusOfRpc, type ApiError } from "../core/errors";
import { isRecord, textOf, type Values } from "../core/unknown";

/**
 * `google.longrunning.Operation`, as far as anybody reads it. Times are milliseconds since the epoch, by the server's
 * clock; where the server leaves fractions of a second out, the latest that it can mean.
 */
export interface Operation {
  /** `projects/{project}/locations/{location}/operations/{operation}`. */
  name: string;
  done: boolean;
  /** `google.rpc.Status` with the numeric code; only when done. */
  error?: { code: number; message: string; details: unknown[] };
  /** Name of the resource that the operation works on. */
  target?: string;
  began?: number;
  ended?: number;
  /** How long it took, in milliseconds: the least that its times can mean. */
  lasted?: number;
}

/** The operation in an answer. */
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
            code: typeof answer.error.code === "number" ? answer.error.code : 2,
            message: textOf(answer.error.message),
            details: Array.isArray(answer.error.details) ? (answer.error.details as unknown[]) : [],
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
