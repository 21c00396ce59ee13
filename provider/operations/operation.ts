import { apiError, RPC_STATUSES, statusOfRpc, type ApiError } from "../core/errors";
import { isRecord, listOf, textOf, type Values } from "../core/unknown";
import { WireShapeError } from "../core/wire";
import { type ApiClient, type ApiRequest, parseAnswer } from "../http/client";
import type { Call } from "../http/call";

/**
 * `google.longrunning.Operation` with the `OperationMetadata` of these APIs, limited to the fields that the provider reads (docs/wire.md
 * section 6).
 */
export interface Operation {
  /** `projects/{project}/locations/{location}/operations/{operation}`. */
  name: string;
  done: boolean;
  /** `google.rpc.Status` with the numeric code; only when done. */
  error?: { code: number; message: string; details: readonly unknown[] };
  /** Full name of the resource that the operation works on. */
  target?: string;
  /** When the operation began, in milliseconds since the epoch, by the server's clock. */
  began?: number;
  /** When the operation ended, in the same form; only when done. */
  ended?: number;
}

/** Reads the operation in a response. Its name is empty if the response has no operation. */
export function operationOf(answer: Values): Operation {
  const metadata = isRecord(answer.metadata) ? answer.metadata : {};
  const response = isRecord(answer.response) ? answer.response : {};
  const target = [metadata.target, response.name].map(textOf).find((each) => each !== "");
  const [began, ended] = [metadata.createTime, metadata.endTime].map((time) => Date.parse(textOf(time)));
  return {
    name: textOf(answer.name),
    done: answer.done === true,
    ...(target === undefined ? {} : { target }),
    ...(isTime(began) ? { began } : {}),
    ...(isTime(ended) ? { ended } : {}),
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

function isTime(time: number | undefined): time is number {
  return time !== undefined && !Number.isNaN(time);
}

/**
 * Sends a request that starts an operation: a create, patch or delete with a request id.
 *
 * @throws BadAnswerError with an unknown effect for an answer without the operation's name, because nobody could wait for
 *   it. What the client throws.
 */
export async function startOperation(client: ApiClient, request: ApiRequest, call: Call): Promise<Operation> {
  const answer = await client.request(request, call);
  const named = () => {
    const operation = operationOf(answer);
    if (operation.name === "") throw new WireShapeError("name", "the name of an operation");
    return operation;
  };
  return parseAnswer(request.doing, request.resource ?? request.path, named, "unknown");
}

/**
 * The error of an operation that failed; undefined when it succeeded.
 *
 * @param doing for the message, to be read on from "Could not": "create the firewall endpoint association".
 * @param resource full name of the resource that the operation works on.
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
    // The server started the change: only a read of the resource shows the effect of a failed operation.
    effect: "unknown",
  });
}
