import { CheckFailure } from "@pulumi/pulumi/proto/provider_pb";
import type { Problem } from "../core/problem";
import type { Values } from "../core/unknown";
import { segmentsOf } from "./ignore";
import type { Secrets } from "../core/secrets";
import type { Session } from "./session";

/**
 * Problems as the engine prints them: the reason, after the property and its value. It looks the property up among the
 * inputs by its whole path, so a nested or missing one would have the value `{<nil>}`; and it prints the value of a secret,
 * too. All of these are named by the reason only, which begins with the path.
 *
 * @param given the inputs; absent where every property with a problem has a value.
 */
export function failures(
  problems: readonly Problem[],
  secrets: Secrets,
  session: Session,
  prefix = "",
  given?: Values,
): CheckFailure[] {
  return problems.map(({ path, reason }) => {
    const failure = new CheckFailure();
    const [property, ...nested] = segmentsOf(path).map(String) as [string, ...string[]];
    const hasValue = nested.length === 0 && (given === undefined || given[property] !== undefined);
    if (hasValue && !secrets.touches(property)) failure.setProperty(path);
    failure.setReason(session.secrets.scrub(`${prefix}${path} ${reason}`));
    return failure;
  });
}
