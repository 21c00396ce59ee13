import { PerimeterError } from "../core/errors";
import type { SecretTexts } from "../core/secrets";

/**
 * A copy of an error for the program to throw, without secrets, its causes included. The messages of provider errors are
 * complete, so Pulumi ends a program that does not catch the error with only the message.
 *
 * Pulumi colors the stack in any case, and Node 20 takes a minute for a stack with a frame of `@pulumi/output.ts`, where the
 * stack of every `apply` ends, because coloring extends a text until it is too long. So the copy's stack has no frames of Pulumi's.
 */
export function asProgramError(error: unknown, texts: SecretTexts): unknown {
  if (!(error instanceof Error)) return error;
  const copy = copyOfError(error, {
    message: texts.scrub(error.message),
    stack: texts.scrub(withoutPulumi(error.stack ?? "")),
    cause: asProgramError(error.cause, texts),
  });
  // The property that `pulumi.RunError.isInstance` checks.
  return error instanceof PerimeterError ? Object.defineProperty(copy, "__pulumiRunError", { value: true }) : copy;
}

function withoutPulumi(stack: string): string {
  return stack
    .split("\n")
    .filter((line) => !/^\s+at .*[\\/]@pulumi[\\/]/.test(line))
    .join("\n");
}

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
