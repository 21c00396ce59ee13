/**
 * Perimeter for TypeScript programs, with nothing to install but npm packages: resources as dynamic resources, lookups
 * as plain functions, under the same modules and names as the SDK of the plugin.
 */
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
