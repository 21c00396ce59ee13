import { Metadata, status, type ServiceError } from "@grpc/grpc-js";
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

/**
 * What the engine makes of a code: INTERNAL, UNKNOWN and DATA_LOSS mean "nobody knows what became of the resource" and
 * leave a pending operation in the state, which a user has to clear by hand; all others mean "try again". Every change
 * of ours can be repeated (request ids, policies that are read first), so only a bug gets one of the three.
 */
const CODES: Record<ErrorCode, status> = {
  INPUT: status.INVALID_ARGUMENT,
  CONFIGURATION: status.INVALID_ARGUMENT,
  CREDENTIALS: status.UNAUTHENTICATED,
  API: status.ABORTED, // Unless its own status says more.
  CONNECTION: status.UNAVAILABLE,
  TIMEOUT: status.DEADLINE_EXCEEDED,
  CANCELLED: status.CANCELLED,
  BAD_ANSWER: status.UNAVAILABLE,
  NOT_READY: status.FAILED_PRECONDITION,
  REFUSED: status.FAILED_PRECONDITION,
  BUG: status.INTERNAL,
};

/** A failure as gRPC sends it. `scrub` takes what is secret out of its message. */
export function serviceError(error: unknown, scrub: (text: string) => string): Partial<ServiceError> {
  if (error instanceof ResourceNotReady) return error.status(scrub);
  const known = error instanceof PerimeterError ? error : new BugError(unexpected(error));
  return { code: codeOf(known), details: scrub(known.message) };
}

/** Statuses that mean something else to the engine; UNIMPLEMENTED: that the plugin lacks the method, so go on without. */
const NOT_OURS: readonly RpcStatus[] = ["INTERNAL", "UNKNOWN", "DATA_LOSS", "UNIMPLEMENTED"];

function codeOf(error: PerimeterError): status {
  if (!(error instanceof ApiError) || NOT_OURS.includes(error.status)) return CODES[error.code];
  return status[error.status];
}

/** Errors of other people's making may quote anything. */
function unexpected(error: unknown): string {
  return redact(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** A `NotReadyError` with the state as the engine is to keep it. */
export class ResourceNotReady extends Error {
  constructor(
    private readonly error: NotReadyError,
    private readonly resource: { id: string; properties: Struct; inputs?: Struct },
  ) {
    super(error.message, { cause: error });
  }

  status(scrub: (text: string) => string): Partial<ServiceError> {
    const { id, properties, inputs } = this.resource;
    const failed = new ErrorResourceInitFailed();
    failed.setId(id);
    failed.setProperties(properties);
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
