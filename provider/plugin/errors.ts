import type { ServiceError } from "@grpc/grpc-js";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import {
  ApiError,
  BugError,
  PerimeterError,
  redact,
  type ErrorCode,
  type NotReadyError,
  type RpcStatus,
} from "../core/errors";
import { Metadata, status } from "./grpc";

/**
 * The gRPC status of each error code. To the engine, INTERNAL, UNKNOWN and DATA_LOSS mean that nobody knows what became of
 * the resource: it keeps a pending operation in the state, which the user has to clear by hand. After all others it tries
 * again in the next run (`resourceStateAndError` in Pulumi's provider_plugin.go). The provider can repeat each of its
 * changes (it sends request ids, and reads policies before it writes them), so only a bug gets one of the three.
 */
const CODES: Record<ErrorCode, status> = {
  INPUT: status.INVALID_ARGUMENT,
  CONFIGURATION: status.INVALID_ARGUMENT,
  CREDENTIALS: status.UNAUTHENTICATED,
  API: status.ABORTED, // For an API status that `codeOf` does not pass on.
  CONNECTION: status.UNAVAILABLE,
  TIMEOUT: status.DEADLINE_EXCEEDED,
  CANCELLED: status.CANCELLED,
  BAD_ANSWER: status.UNAVAILABLE,
  NOT_READY: status.FAILED_PRECONDITION,
  REFUSED: status.FAILED_PRECONDITION,
  BUG: status.INTERNAL,
};

/**
 * A failure as gRPC sends it.
 *
 * @param scrub takes what is secret out of its message.
 */
export function serviceError(error: unknown, scrub: (text: string) => string): Partial<ServiceError> {
  if (error instanceof ResourceNotReady) return error.status(scrub);
  const known = error instanceof PerimeterError ? error : new BugError(unexpected(error));
  return { code: codeOf(known), details: scrub(known.message) };
}

/** An API's statuses that mean something else to the engine. UNIMPLEMENTED: the plugin lacks the method, go on without it. */
const MEANT_FOR_ENGINE: readonly RpcStatus[] = ["INTERNAL", "UNKNOWN", "DATA_LOSS", "UNIMPLEMENTED"];

function codeOf(error: PerimeterError): status {
  if (!(error instanceof ApiError) || MEANT_FOR_ENGINE.includes(error.status)) return CODES[error.code];
  return status[error.status];
}

/** The text of an error that is not the provider's own. It may quote anything, credentials too. */
function unexpected(error: unknown): string {
  return redact(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** A `NotReadyError`, with what the engine is to keep of the resource: `ErrorResourceInitFailed` of Pulumi's protocol. */
export class ResourceNotReady extends Error {
  constructor(
    private readonly error: NotReadyError,
    private readonly resource: { id: string; outputs: Struct; inputs?: Struct },
  ) {
    super(error.message, { cause: error });
  }

  status(scrub: (text: string) => string): Partial<ServiceError> {
    const { id, outputs, inputs } = this.resource;
    const failed = new ErrorResourceInitFailed();
    failed.setId(id);
    failed.setProperties(outputs);
    failed.setReasonsList(this.error.reasons.map(scrub));
    if (inputs) failed.setInputs(inputs);
    const detail = new Any();
    detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    const message = scrub(this.error.message);
    const whole = new Status();
    whole.setCode(CODES.NOT_READY);
    whole.setMessage(message);
    whole.addDetails(detail);
    const metadata = new Metadata();
    metadata.set("grpc-status-details-bin", Buffer.from(whole.serializeBinary()));
    return { code: CODES.NOT_READY, details: message, metadata };
  }
}
