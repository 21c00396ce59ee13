import type { Problem } from "../problem";
import type { Values } from "../unknown";
import { PerimeterError, type PerimeterErrorOptions } from "./base";
import { redact } from "./redact";

export * from "./base";
export * from "./api-error";
export { messageOf, systemCodeOf } from "./message";
export { redact };

/** What a program gave a resource or a lookup is wrong; every problem at once. */
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

/** No credentials, or credentials that give no token. */
export class CredentialsError extends PerimeterError {
  readonly code = "CREDENTIALS";
  override readonly name = "CredentialsError";
}

/** The request or its answer was lost on the way. Its effect is unknown, unless the maker of the error knows better. */
export class ConnectionError extends PerimeterError {
  readonly code = "CONNECTION";
  override readonly name = "ConnectionError";
  /** False where the next attempt meets the same: nothing listens at an address of this machine. */
  readonly retryable: boolean;
  constructor(message: string, { retryable = true, ...options }: PerimeterErrorOptions & { retryable?: boolean } = {}) {
    super(message, { effect: "unknown", ...options });
    this.retryable = retryable;
  }

  /** The same error with a word on what to do about it. */
  withHint(hint: string): ConnectionError {
    const { cause, effect, retryable } = this;
    return new ConnectionError(`${this.message}. ${hint}`, { cause, effect, retryable });
  }
}

/** Time ran out for one request or the whole call. While a request is in flight, its effect is unknown. */
export class TimeoutError extends PerimeterError {
  readonly code = "TIMEOUT";
  override readonly name = "TimeoutError";
  constructor(message: string, options: PerimeterErrorOptions = {}) {
    super(message, { effect: "unknown", ...options });
  }
}

/** The engine or the user asked to stop. While a request is in flight, its effect is unknown. */
export class CancelledError extends PerimeterError {
  readonly code = "CANCELLED";
  override readonly name = "CancelledError";
  constructor(message: string, options: PerimeterErrorOptions = {}) {
    super(message, { effect: "unknown", ...options });
  }
}

/** An answer that is not what the API promises: HTML, cut off, or of another shape. */
export class BadAnswerError extends PerimeterError {
  readonly code = "BAD_ANSWER";
  override readonly name = "BadAnswerError";
  /** True where the next answer may well be better: cut off, or from something that stands before the API. */
  readonly retryable: boolean;
  constructor(
    message: string,
    { retryable = false, ...options }: PerimeterErrorOptions & { retryable?: boolean } = {},
  ) {
    super(message, { effect: "unknown", ...options });
    this.retryable = retryable;
  }
}

/** Our own refusal to do something that would lose what belongs to others, or lock everybody out. */
export class RefusedError extends PerimeterError {
  readonly code = "REFUSED";
  override readonly name = "RefusedError";
}

/** Something that cannot happen did: a bug in the provider. */
export class BugError extends PerimeterError {
  readonly code = "BUG";
  override readonly name = "BugError";
  constructor(message: string) {
    super(`Bug in the perimeter provider, please report it: ${message}`, { effect: "unknown" });
  }
}

/**
 * The resource exists but is not as it should be: its operation goes on, or failed half way. Both engines' servers
 * read `id`, `properties` and `reasons` and keep the resource in the state instead of forgetting it.
 */
export class NotReadyError extends PerimeterError {
  readonly code = "NOT_READY";
  override readonly name = "NotReadyError";
  /** Engines print these instead of the message. */
  readonly reasons: string[];
  constructor(
    readonly id: string,
    readonly properties: Values,
    reasons: readonly string[],
    options: PerimeterErrorOptions = {},
  ) {
    super(reasons.join("\n"), { effect: "done", ...options });
    this.reasons = reasons.map(redact);
  }
}
