/**
 * Perimeter for TypeScript programs, with npm packages only: dynamic resources, and lookups as plain functions, with the
 * same modules and names as the plugin's SDK.
 */
import "../../require-node.cjs";

export * from "./generated";
export {
  AbortedError,
  AlreadyExistsError,
  ApiError,
  BadAnswerError,
  BugError,
  CancelledByServerError,
  CancelledError,
  ConfigurationError,
  ConnectionError,
  CredentialsError,
  DataLossError,
  DeadlineExceededError,
  FailedPreconditionError,
  InputError,
  InternalError,
  InvalidArgumentError,
  NotFoundError,
  NotReadyError,
  OutOfRangeError,
  PerimeterError,
  PermissionDeniedError,
  RefusedError,
  ResourceExhaustedError,
  TimeoutError,
  UnauthenticatedError,
  UnavailableError,
  UnimplementedError,
  UnknownError,
} from "../core/errors";
