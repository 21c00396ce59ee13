import { CheckFailure } from "@pulumi/pulumi/proto/provider_pb";
import type { Problem } from "../core/problem";
import { segmentsOf } from "./ignore";
import type { Secrets } from "./secrets";
import type { Session } from "./session";

/**
 * Problems as the engine prints them: the reason, after the property and its value. It prints the value of a secret, too,
 * so a property with one in it is named by the reason only.
 */
export function failures(
  problems: readonly Problem[],
  secrets: Secrets,
  session: Session,
  prefix = "",
): CheckFailure[] {
  return problems.map(({ path, reason }) => {
    const failure = new CheckFailure();
    if (!secrets.touches(String(segmentsOf(path)[0]))) failure.setProperty(path);
    failure.setReason(session.scrub(`${prefix}${path} ${reason}`));
    return failure;
  });
}
