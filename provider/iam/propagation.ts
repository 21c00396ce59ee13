import { messageOf } from "../core/errors";
import { pause, type Call } from "../http/call";
import { hasGrant, type Grant } from "./policy";
import { readPolicy, type PolicyTarget } from "./policy-api";

/**
 * A grant counts as visible after this number of successive reads with it, at this interval, as in Terraform's provider (wire
 * reference section 9). The reads may reach different servers, and not all of them may have the grant yet.
 */
const READS_IN_A_ROW = 3;
const BETWEEN_READS_MS = 1_000;
/** Access changes typically take two minutes: https://cloud.google.com/iam/docs/access-change-propagation. */
const LONGEST_MS = 120_000;

/**
 * Reads until every read shows a grant. If that takes too long or a read fails, it gives a warning, not an error: the write
 * succeeded, and an error would make the engine forget the grant.
 */
export async function waitUntilVisible(target: PolicyTarget, grant: Grant, call: Call): Promise<void> {
  try {
    if (await isVisibleInTime(target, grant, call)) return;
    call.reporter.warning(`The grant on ${target.resource} was made, but is not yet visible to every read`);
  } catch (error) {
    call.reporter.warning(
      `The grant on ${target.resource} was made, but it is unknown whether it is visible: ${messageOf(error)}`,
    );
  }
}

async function isVisibleInTime(target: PolicyTarget, grant: Grant, call: Call): Promise<boolean> {
  const { clock } = target.client;
  const until = Math.min(clock.now() + LONGEST_MS, call.deadline);
  for (let seen = 0; ;) {
    seen = hasGrant(await readPolicy(target, 3, call), grant) ? seen + 1 : 0;
    if (seen >= READS_IN_A_ROW) return true;
    if (clock.now() + BETWEEN_READS_MS >= until) return false;
    call.reporter.status(`Waiting for the grant to be visible (${seen} of ${READS_IN_A_ROW} reads)`);
    await pause(call, clock, BETWEEN_READS_MS, "wait until the grant is visible");
  }
}
