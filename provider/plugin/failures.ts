import { CheckFailure } from "@pulumi/pulumi/proto/provider_pb";
import { parsePath, type Problem } from "../core/problem";
import { firstProblems, shortened } from "../core/errors";
import type { Secrets } from "../core/secrets";
import type { Values } from "../core/unknown";

interface FailureOptions {
  /** Which of the values are secret. */
  secrets: Secrets;
  /** Removes secrets from a reason. */
  scrub(text: string): string;
  /** The prefix of each path in a reason. Default: none. */
  prefix?: string;
  /** The values that have the problems. Default: each property with a problem has a value. */
  given?: Values;
}

/**
 * Problems in the engine's form. The engine prints the value of the property that a failure names, and then the reason. For
 * nested and missing properties it would print `{<nil>}`, and it would print secrets. So a failure names its property only
 * in the other cases; the reason always begins with the path.
 */
export function failures(
  problems: readonly Problem[],
  { secrets, scrub, prefix = "", given }: FailureOptions,
): CheckFailure[] {
  const all = problems.map(({ path, reason }) => {
    const failure = new CheckFailure().setReason(shortened(scrub(`${prefix}${path} ${reason}`)));
    const [property, ...nested] = parsePath(path).map(String);
    if (property === undefined || nested.length > 0) return failure;
    const isMissing = given !== undefined && given[property] === undefined;
    return isMissing || secrets.touches(property) ? failure : failure.setProperty(path);
  });
  return firstProblems(all, (text) => new CheckFailure().setReason(text));
}
