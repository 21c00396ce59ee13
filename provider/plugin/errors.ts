import { isDeepStrictEqual } from "node:util";
import type { ServiceError } from "@grpc/grpc-js";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { CheckFailure, ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import {
  ApiError,
  BugError,
  firstProblems,
  LONGEST_MESSAGE,
  PerimeterError,
  redact,
  shortened,
  type ErrorCode,
  type NotReadyError,
  type RpcStatus,
} from "../core/errors";
import { parsePath, type Problem } from "../core/problem";
import type { Secrets } from "../core/secrets";
import type { Values } from "../core/unknown";
import { Metadata, status } from "./grpc";
import { jsonOf } from "./struct";

/**
 * The gRPC status of each error code. For INTERNAL, UNKNOWN and DATA_LOSS, the engine assumes that the result is unknown: it
 * keeps a pending operation in the state, which the user has to clear by hand. For all others, it tries again in the next
 * run (`resourceStateAndError` in Pulumi's provider_plugin.go). The provider can repeat each of its changes (it sends
 * request ids, and reads policies before it writes them), so only a bug returns one of the three.
 */
const CODES: Record<ErrorCode, status> = {
  INPUT: status.INVALID_ARGUMENT,
  CONFIGURATION: status.INVALID_ARGUMENT,
  CREDENTIALS: status.UNAUTHENTICATED,
  API: status.ABORTED, // For an API status without an entry in `codeOf`.
  CONNECTION: status.UNAVAILABLE,
  TIMEOUT: status.DEADLINE_EXCEEDED,
  CANCELLED: status.CANCELLED,
  BAD_ANSWER: status.UNAVAILABLE,
  NOT_READY: status.FAILED_PRECONDITION,
  REFUSED: status.FAILED_PRECONDITION,
  BUG: status.INTERNAL,
};

/**
 * A failure in the form of gRPC.
 *
 * @param scrub removes secrets from its message.
 */
export function serviceError(error: unknown, scrub: (text: string) => string): Partial<ServiceError> {
  if (error instanceof ResourceNotReady) return error.status(scrub);
  const known = error instanceof PerimeterError ? error : new BugError(unexpected(error));
  return { code: codeOf(known), details: shortened(scrub(known.message)) };
}

/** Statuses of an API that have another meaning for the engine. UNIMPLEMENTED means that the plugin lacks the method. */
const MEANT_FOR_ENGINE: readonly RpcStatus[] = ["INTERNAL", "UNKNOWN", "DATA_LOSS", "UNIMPLEMENTED"];

function codeOf(error: PerimeterError): status {
  if (!(error instanceof ApiError) || MEANT_FOR_ENGINE.includes(error.status)) return CODES[error.code];
  return status[error.status];
}

/** The text of an error that is not a PerimeterError. It may contain anything, including credentials. */
function unexpected(error: unknown): string {
  return redact(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** Bytes of the trailer with the state for the engine, before base64: above 64 kB, the executable sends no trailers at all. */
const LARGEST_TRAILER = 40_000;

/** Characters of the message when this trailer is sent. The engine prints the reasons in its place. */
const LONGEST_SUMMARY = 1_000;

/** A `NotReadyError` with the state that the engine keeps: `ErrorResourceInitFailed` of Pulumi's protocol. */
export class ResourceNotReady extends Error {
  constructor(
    private readonly error: NotReadyError,
    private readonly resource: {
      id: string;
      outputs: Struct;
      /** The inputs that a read found. */
      inputs?: Struct;
      /** The properties that the engine keeps in any case: equal properties can be omitted from the outputs. */
      kept?: Struct;
    },
  ) {
    super(error.message, { cause: error });
  }

  status(scrub: (text: string) => string): Partial<ServiceError> {
    const { id, outputs, inputs, kept } = this.resource;
    const { reasons } = this.error;
    const shown = reasons.map((each) => shortened(scrub(each), Math.floor(LONGEST_MESSAGE / reasons.length)));
    const failed = new ErrorResourceInitFailed().setId(id).setProperties(outputs).setReasonsList(shown);
    if (inputs) failed.setInputs(inputs);
    const message = shortened(scrub(this.error.message), LONGEST_SUMMARY);
    const whole = new Status().setCode(CODES.NOT_READY).setMessage(message);
    const trailer = () => {
      const detail = new Any();
      detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
      return Buffer.from(whole.setDetailsList([detail]).serializeBinary());
    };
    let bytes = trailer();
    for (const name of bytes.length > LARGEST_TRAILER ? repeatedIn(outputs, inputs ?? kept) : []) {
      outputs.getFieldsMap().del(name);
      bytes = trailer();
      if (bytes.length <= LARGEST_TRAILER) break;
    }
    const metadata = new Metadata();
    metadata.set("grpc-status-details-bin", bytes);
    return { code: CODES.NOT_READY, details: message, metadata };
  }
}

/** The names of the properties with equal values in both, largest first. */
function repeatedIn(outputs: Struct, inputs: Struct | undefined): string[] {
  const others = jsonOf(inputs);
  return Object.entries(jsonOf(outputs))
    .filter(([name, value]) => isDeepStrictEqual(value, others[name]))
    .map(([name, value]) => ({ name, size: JSON.stringify(value).length }))
    .sort((one, other) => other.size - one.size)
    .map(({ name }) => name);
}

interface FailureOptions {
  /** Which of the values are secret. */
  secrets: Secrets;
  /** Removes secrets from a reason. */
  scrub(text: string): string;
  /** The prefix of each path in a reason. Default: none. */
  prefix?: string;
  /** The values that have the problems. Default: each property with a problem has a value. */
  given?: Values;
}

/**
 * Problems in the engine's form. The engine prints the value of the property that a failure names, and then the reason. For
 * nested and missing properties it would print `{<nil>}`, and it would print secrets. So a failure names its property only
 * in the other cases; the reason always begins with the path.
 */
export function failures(
  problems: readonly Problem[],
  { secrets, scrub, prefix = "", given }: FailureOptions,
): CheckFailure[] {
  const all = problems.map(({ path, reason }) => {
    const failure = new CheckFailure().setReason(shortened(scrub(`${prefix}${path} ${reason}`)));
    const [property, ...nested] = parsePath(path).map(String);
    if (property === undefined || nested.length > 0) return failure;
    const isMissing = given !== undefined && given[property] === undefined;
    return isMissing || secrets.touches(property) ? failure : failure.setProperty(path);
  });
  return firstProblems(all, (text) => new CheckFailure().setReason(text));
}
