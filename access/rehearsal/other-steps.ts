import { accessChange, hasConditions, type Policy } from "../../provider/iam/policy";
import type { GrantStep } from "../plan/steps";
import { NATIVE, type OtherProvider } from "../result/packages";
import { afterOtherDelete, afterOtherMake, grantsOfOther, isStale, type OtherGrant } from "../plan/other-policy";
import { shortNameOf } from "../result/urn";
import type { AccessPolicy, GrantChanges } from "../live/access-policy";
import type { PlannedGrant } from "../plan/planned-grant";
import type { Task } from "./tasks";

interface StepContext {
  note(note: string): void;
  refuse(reason: string): void;
  /** Whether only the deletes at the end, which have no order, have changed the policy since the state was written. */
  mayBeFirst: boolean;
}

const NAMES: Readonly<Record<OtherProvider, string>> = { "google-native": "google-native", gcp: "@pulumi/gcp" };

/** The provider of a step, if it is another one. */
export function otherProviderOf({ front }: Pick<GrantStep, "front">): OtherProvider | undefined {
  return front === "plugin" || front === "npm" ? undefined : front;
}

/**
 * Applies a step of another provider on a grant.
 *
 * @param wanted absent for a delete.
 * @returns false if the API refuses the step.
 */
export function actOfOther(
  task: Task,
  provider: OtherProvider,
  wanted: PlannedGrant | undefined,
  policy: AccessPolicy,
  context: StepContext,
): boolean {
  const { step, old, op } = task;
  const { urn } = step;
  const other = wanted ? wanted.other : old?.other;
  const { before: live, after: current, resource } = policy;
  if (!other) {
    const message = `${urn} is ${NAMES[provider]}'s, and ${wanted ? "its inputs do" : "the state does"} not say what it grants`;
    policy.noteUnknown({ code: wanted ? "unsupported" : "incomplete state", message, step: urn });
    return true;
  }
  if (!wanted && other.kind === "policy" && provider === NATIVE) {
    context.note(`google-native does not change the access policy of ${resource} when it deletes ${urn}`);
    return true;
  }
  const before = op === "update" ? old?.other : undefined;
  if (!live || !current) {
    const gone = wanted ? before : other;
    policy.wrote(urn, { gained: wanted ? grantsOfOther(other) : [], lost: gone ? grantsOfOther(gone) : [] });
    if (other.kind !== "member") {
      const message = `It is unknown who else loses access: ${urn} removes all others, and the policy could not be read`;
      policy.noteUnknown({ code: "unreadable policy", message, step: urn });
    }
    return true;
  }
  if (!wanted && other.kind === "policy" && isStale(current, other) && !context.mayBeFirst) {
    context.refuse(staleReason(isStale(live, other)));
    return false;
  }
  const changed = wanted
    ? afterOtherMake(current, other, provider, before)
    : afterOtherDelete(current, other, provider);
  if (provider === NATIVE && other.kind !== "policy") noteConditions(urn, policy, [current, changed]);
  if (step.named && other.kind !== "policy" && !step.named.readsConditions) {
    noteUnseenConditions(urn, policy, current, wanted ? changed : current);
  }
  if (hasLogs(current) && !hasLogs(changed)) {
    context.note(`${shortNameOf(urn)} removes the configuration of audit logs of ${resource}`);
  }
  policy.wrote(urn, changesOf(current, changed, other, { before, isMade: wanted !== undefined }));
  policy.write(changed);
  return true;
}

const CONDITIONAL =
  "@pulumi/gcp deletes an access policy only as the state has it (by its etag), and the API answers with HTTP 409 to another one";

/** Notes that the delete of a policy of `@pulumi/gcp` fails if one of the other deletes at the end comes before it. */
export function noteConditionalDelete(policy: AccessPolicy, { step, old }: Task): void {
  const { after } = policy;
  const { urn } = step;
  if (old?.other?.kind !== "policy" || old.other.etag === undefined || !after || isStale(after, old.other)) return;
  const message =
    `It is unknown whether ${shortNameOf(urn)} can be deleted: ${CONDITIONAL}. Other deletes of this update change the policy, and ` +
    "their order is not known. If it fails, the access that it gives stays";
  policy.noteUnknown({ code: "no order", message, step: urn });
}

/** @param isBefore whether it has changed before the update. */
function staleReason(isBefore: boolean): string {
  const why = isBefore
    ? "The policy has changed since the state was written. Refresh the stack, and review again"
    : "Another step of this update changes the policy first. Delete it in an update of its own, or keep what it gives (retainOnDelete)";
  return `${CONDITIONAL}. ${why}`;
}

/** What a step changed. A member's grant is the only one that can have changed: a large policy is not compared for each. */
function changesOf(
  policy: Policy,
  changed: Policy,
  other: OtherGrant,
  { before, isMade }: { before: OtherGrant | undefined; isMade: boolean },
): GrantChanges {
  if (other.kind !== "member" || before !== undefined) return accessChange(policy, changed);
  if (policy === changed) return {};
  return isMade ? { gained: [other.grant] } : { lost: [other.grant] };
}

function hasLogs({ auditConfigs = [] }: Policy): boolean {
  return auditConfigs.length > 0;
}

/** The API refuses to write a policy back that was read without its conditions. */
function noteUnseenConditions(urn: string, policy: AccessPolicy, before: Policy, changed: Policy): void {
  const noteUnknown = (what: string) => policy.noteUnknown({ code: "unsupported", message: what, step: urn });
  const type = "a type of @pulumi/gcp that reads a policy without its conditions";
  if (hasConditions(before)) {
    noteUnknown(
      `It is unknown whether the update fails at ${shortNameOf(urn)}: it is ${type}, and the API refuses to change one that has ` +
        "conditions (HTTP 400)",
    );
  } else if (hasConditions(changed)) {
    noteUnknown(
      `It is unknown what the stack keeps of ${shortNameOf(urn)}: it is ${type}, so it does not find the grant under a condition that ` +
        "it makes. The grant stays in the cloud",
    );
  }
}

function noteConditions(urn: string, policy: AccessPolicy, policies: readonly Policy[]): void {
  if (!policies.some(hasConditions)) return;
  const message =
    `It is unknown who keeps a grant under a condition: ${urn} is google-native's, which reads a policy without its ` +
    "conditions and writes it back";
  policy.noteUnknown({ code: "unsupported", message, step: urn });
}
