import { LONGEST_REDACTED, redact, shortened } from "./text";

/** The code of every kind of failure. `docs/errors.md` explains each; a test compares both lists. */
export const ERROR_CODES = [
  "INPUT",
  "CONFIGURATION",
  "CREDENTIALS",
  "API",
  "CONNECTION",
  "TIMEOUT",
  "CANCELLED",
  "BAD_ANSWER",
  "NOT_READY",
  "REFUSED",
  "BUG",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/**
 * What a failure proves about the requested change. Retries, reads after a failure and the state that is kept depend only on
 * this:
 *  - `none`: the server did not make the change. The caller may ask again, or forget it.
 *  - `done`: the server made it, and the problem occurred later.
 *  - `unknown`: the server may have made it. Only a read of the resource shows whether it did.
 *
 * A read asks for no change, so its failure is always `none`.
 */
export type Effect = "none" | "done" | "unknown";

export interface PerimeterErrorOptions {
  cause?: unknown;
  /** Default: the effect of the error's class. */
  effect?: Effect;
}

/** Prepares a text for an error: removes credentials and limits the length. */
export function redactedText(text: string): string {
  return shortened(redact(text), LONGEST_REDACTED);
}

/** The base of every error of the provider: a code of the list above, its effect, and a message without credentials. */
export abstract class PerimeterError extends Error {
  abstract readonly code: ErrorCode;
  readonly effect: Effect;

  constructor(message: string, { effect = "none", ...options }: PerimeterErrorOptions = {}) {
    super(redactedText(message), options);
    this.effect = effect;
  }
}

/** The effect of any thrown value: unknown unless it is an error of the provider. */
export function effectOf(error: unknown): Effect {
  return error instanceof PerimeterError ? error.effect : "unknown";
}
