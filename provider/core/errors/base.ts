import { redact } from "./redact";

/** Every kind of failure that a user can meet. `docs/errors.md` explains each; a test keeps the two lists the same. */
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

/** What every error of the provider has in common: a closed code, and a message without credentials. */
export abstract class PerimeterError extends Error {
  abstract readonly code: ErrorCode;
  constructor(message: string, options?: { cause?: unknown }) {
    super(redact(message), options);
  }
}
