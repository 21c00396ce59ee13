import { CheckFailure } from "@pulumi/pulumi/proto/provider_pb";
import { parsePath, type Problem } from "../core/problem";
import type { Secrets } from "../core/secrets";
import type { Values } from "../core/unknown";

interface FailureOptions {
  /** Which of the values are secret. */
  secrets: Secrets;
  /** Takes what is secret out of a reason. */
  scrub(text: string): string;
  /** What stands before each path in a reason. Default: nothing. */
  prefix?: string;
  /** The values that have the problems. Default: each property with a problem has a value. */
  given?: Values;
}

/**
 * Problems as the engine takes them. The engine prints the value of the property that a failure names, and then the
 * reason. It does not find nested and missing properties (it would print `{<nil>}`), and it prints secrets, too. So a
 * failure names its property only where neither is the case; the reason always begins with the path.
 */
export function failures(
  problems: readonly Problem[],
  { secrets, scrub, prefix = "", given }: FailureOptions,
): CheckFailure[] {
  return problems.map(({ path, reason }) => {
    const failure = new CheckFailure().setReason(scrub(`${prefix}${path} ${reason}`));
    const [property, ...nested] = parsePath(path).map(String);
    if (property === undefined || nested.length > 0) return failure;
    const isMissing = given !== undefined && given[property] === undefined;
    return isMissing || secrets.touches(property) ? failure : failure.setProperty(path);
  });
}
