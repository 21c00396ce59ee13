import { PerimeterError } from "../core/errors/base";

/**
 * A copy of an error with another message and stack, for a reader who must not see all of the error. The error itself
 * stays as it is, because other callers may wait for the same failed promise.
 *
 * A copy of one of the provider's errors is an instance of the same class, and so what a program looks for in `catch`.
 *
 * @param changes the message, the stack, and the other properties that differ
 */
export function copyOfError(
  error: Error,
  { message, stack, cause, ...changes }: { message: string; stack: string | undefined; cause?: unknown },
): Error {
  const copy = new Error(message, cause === undefined ? {} : { cause });
  // No constructor of the class runs: each takes other arguments.
  if (error instanceof PerimeterError) Reflect.setPrototypeOf(copy, Reflect.getPrototypeOf(error));
  return Object.assign(copy, { ...error, name: error.name, ...changes, stack });
}
