import { PerimeterError } from "../core/errors/base";
import type { SecretTexts } from "../core/secrets";

/**
 * An error that says all in its message, marked so that a program that does not catch it ends with that message alone, and
 * without what is secret.
 *
 * Pulumi formats the stack in colours nevertheless, and Node 20 does not get past a frame of `@pulumi/output.ts`, which
 * is where the stack of an `apply` ends: it grows a text until that is too long, which takes a minute. So no frame of
 * Pulumi's stays in it.
 */
export function asProgramError(error: unknown, texts: SecretTexts): unknown {
  if (error instanceof PerimeterError) Object.defineProperty(error, "__pulumiRunError", { value: true });
  for (let each = error; each instanceof Error; each = each.cause) {
    const stack = withoutPulumi(each.stack);
    each.message = texts.scrub(each.message);
    each.stack = stack === undefined ? undefined : texts.scrub(stack);
  }
  return error;
}

function withoutPulumi(stack: string | undefined): string | undefined {
  return stack
    ?.split("\n")
    .filter((line) => !/^\s+at .*[\\/]@pulumi[\\/]/.test(line))
    .join("\n");
}
