import type { Problem } from "../problem";
import type { Values } from "../unknown";
import { redactedText, PerimeterError, type PerimeterErrorOptions } from "./base";

export * from "./base";
export * from "./api-error";
export { detailsOfType, errorInfoReason } from "./error-details";
export { causesOf, messageOf, systemCodeOf } from "./message";
export * from "./rpc-status";
export { firstProblems, LONGEST_LOG_LINE, LONGEST_MESSAGE, redact, shortened } from "./text";

/** The inputs of a resource or the arguments of a lookup are wrong. The message lists every problem. */
export class InputError extends PerimeterError {
  readonly code = "INPUT";
  override readonly name = "InputError";
  constructor(
    readonly subject: string,
    readonly problems: readonly Problem[],
  ) {
    super(`${subject}: ${problems.map((each) => `${each.path} ${each.reason}`).join("; ")}`);
  }
}

/** The provider's configuration is wrong or lacks something. */
export class ConfigurationError extends PerimeterError {
  readonly code = "CONFIGURATION";
  override readonly name = "ConfigurationError";
  constructor(
    message: string,
    readonly problems: readonly Problem[] = [],
  ) {
    super(message);
  }
}

/** There are no credentials, or they yield no token. */
export class CredentialsError extends PerimeterError {
  readonly code = "CREDENTIALS";
  override readonly name = "CredentialsError";
}

/** The request or its response was lost. Default effect: unknown. */
export class ConnectionError extends PerimeterError {
  readonly code = "CONNECTION";
  override readonly name = "ConnectionError";
  /** False when another attempt would fail in the same way, for example because a certificate is not trusted. */
  readonly retryable: boolean;
  constructor(
    message: string,
    { retryable = true, effect = "unknown", ...options }: PerimeterErrorOptions & { retryable?: boolean } = {},
  ) {
    super(message, { effect, ...options });
    this.retryable = retryable;
  }

  /** A copy whose message also has a hint for the user. */
  withHint(hint: string): ConnectionError {
    const { cause, effect, retryable } = this;
    return new ConnectionError(`${this.message}. ${hint}`, { cause, effect, retryable });
  }
}

/** Time ran out for one request, or for the whole call of the engine. Default effect: unknown, for a request in flight. */
export class TimeoutError extends PerimeterError {
  readonly code = "TIMEOUT";
  override readonly name = "TimeoutError";
  constructor(message: string, { effect = "unknown", ...options }: PerimeterErrorOptions = {}) {
    super(message, { effect, ...options });
  }
}

/** The engine or the user cancelled the run. Default effect: unknown, for a request in flight. */
export class CancelledError extends PerimeterError {
  readonly code = "CANCELLED";
  override readonly name = "CancelledError";
  constructor(message: string, { effect = "unknown", ...options }: PerimeterErrorOptions = {}) {
    super(message, { effect, ...options });
  }
}

/** The response does not match the API: HTML, cut off, or a wrong structure. Default effect: unknown. */
export class BadAnswerError extends PerimeterError {
  readonly code = "BAD_ANSWER";
  override readonly name = "BadAnswerError";
  /** True when another attempt may succeed: the response was cut off, or came from a proxy or gateway. */
  readonly retryable: boolean;
  constructor(
    message: string,
    { retryable = false, effect = "unknown", ...options }: PerimeterErrorOptions & { retryable?: boolean } = {},
  ) {
    super(message, { effect, ...options });
    this.retryable = retryable;
  }
}

/** The provider refuses a change that would take access from others or lock everybody out. */
export class RefusedError extends PerimeterError {
  readonly code = "REFUSED";
  override readonly name = "RefusedError";
}

/** The provider is in a state that should be impossible. The message asks the user to report the bug. */
export class BugError extends PerimeterError {
  readonly code = "BUG";
  override readonly name = "BugError";
  constructor(message: string) {
    super(`Bug in the perimeter provider, please report it: ${message}`, { effect: "unknown" });
  }
}

/** True for expected failures; false for a bug of the provider. */
export function isForeseen(error: unknown): error is PerimeterError {
  return error instanceof PerimeterError && !(error instanceof BugError);
}

/**
 * The resource exists but is not as the program wants it: its operation is still running, or failed halfway. Pulumi's engine
 * and its dynamic-provider server read `id`, `properties` and `reasons`, and keep the resource in the state: after any other
 * error they forget it. Default effect: done.
 */
export class NotReadyError extends PerimeterError {
  readonly code = "NOT_READY";
  override readonly name = "NotReadyError";
  /** The problems, one sentence each: engines print them in place of the message. */
  readonly reasons: string[];
  constructor(
    readonly id: string,
    readonly properties: Values,
    reasons: readonly string[],
    { effect = "done", ...options }: PerimeterErrorOptions = {},
  ) {
    super(reasons.join("\n"), { effect, ...options });
    this.reasons = reasons.map(redactedText);
  }

  /** A copy whose state also has these properties. */
  withProperties(more: Values): NotReadyError {
    const { id, properties, reasons, cause, effect } = this;
    return new NotReadyError(id, { ...properties, ...more }, reasons, { cause, effect });
  }
}
