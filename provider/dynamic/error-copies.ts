import { PerimeterError } from "../core/errors/base";

/**
 * A copy of an error with another message and stack, for a reader who must not see secrets. The original error does not
 * change, because other callers may wait for the same failed promise. A copy of a provider error is an instance of the same
 * class, so a program can catch it by class.
 *
 * @param changes the message, the stack, and other changed properties
 */
export function copyOfError(
  error: Error,
  { message, stack, cause, ...changes }: { message: string; stack: string | undefined; cause?: unknown },
): Error {
  const copy = new Error(message, cause === undefined ? {} : { cause });
  // The class's constructor does not run, because constructors differ in their arguments.
  if (error instanceof PerimeterError) Reflect.setPrototypeOf(copy, Reflect.getPrototypeOf(error));
  return Object.assign(copy, { ...error, name: error.name, ...changes, stack });
}
