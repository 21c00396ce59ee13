import { redact } from "./redact";

/** Every kind of failure that a user can meet. `docs/errors.md` explains each; a test keeps both lists the same. */
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
 * What a failure proves about the change that was asked for. Everything that repeats, reads back or keeps a resource in
 * the state after a failure decides by this, and by nothing else:
 *  - `none`: the server did not make the change. The caller may ask again, or forget it.
 *  - `done`: the server made it, and what went wrong came later.
 *  - `unknown`: the server may have made it. Only a look at the resource tells.
 *
 * A read asks for no change, so its failure is always `none`.
 */
export type Effect = "none" | "done" | "unknown";

export interface PerimeterErrorOptions {
  cause?: unknown;
  /** Default: what the error's class says. */
  effect?: Effect;
}

/** What every error of the provider has: a code of the list above, its effect, and a message without credentials. */
export abstract class PerimeterError extends Error {
  abstract readonly code: ErrorCode;
  readonly effect: Effect;

  constructor(message: string, { effect = "none", ...options }: PerimeterErrorOptions = {}) {
    super(redact(message), options);
    this.effect = effect;
  }
}

/** The effect of whatever was thrown: unknown for an error that is not the provider's own. */
export function effectOf(error: unknown): Effect {
  return error instanceof PerimeterError ? error.effect : "unknown";
}
