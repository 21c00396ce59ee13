import { PerimeterError } from "../core/errors/base";
import type { SecretTexts } from "../core/secrets";
import { copyOfError } from "./error-copies";

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
