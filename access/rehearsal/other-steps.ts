import { accessChange, hasConditions, type Policy } from "../../provider/iam/policy";
import type { GrantStep } from "../plan/grant-steps";
import { NATIVE, type OtherProvider } from "../result/packages";
import { afterOtherDelete, afterOtherMake, grantsOfOther, type OtherGrant } from "../plan/other-policy";
import { shortNameOf } from "../result/urn";
import type { PolicyRecord } from "../live/policy-record";
import type { PolicyCopy } from "../live/policy-copies";
import type { PlannedGrant } from "../plan/planned-grant";
import type { Task } from "./tasks";

interface OtherWorld {
  write(policy: PolicyCopy, changed: Policy): void;
  note(note: string): void;
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
 */
export function actOfOther(
  task: Task,
  provider: OtherProvider,
  wanted: PlannedGrant | undefined,
  record: PolicyRecord,
  world: OtherWorld,
): void {
  const { step, old, op } = task;
  const { urn } = step.step;
  const other = wanted ? wanted.other : old?.other;
  const { policy } = record.options;
  const { resource } = record;
  if (!other) {
    const message = `${urn} is ${NAMES[provider]}'s, and ${wanted ? "its inputs do" : "the state does"} not say what it grants`;
    record.noteUnknown({ code: wanted ? "unsupported" : "incomplete state", message, step: urn });
    return;
  }
  if (!wanted && other.kind === "policy" && provider === NATIVE) {
    world.note(`google-native does not change the access policy of ${resource} when it deletes ${urn}`);
    return;
  }
  const before = op === "update" ? old?.other : undefined;
  if (!policy) {
    const gone = wanted ? before : other;
    record.wrote(urn, { gained: wanted ? grantsOfOther(other) : [], lost: gone ? grantsOfOther(gone) : [] });
    if (takesFromOthers(other)) {
      const message = `It is unknown who else loses access: ${urn} removes all others, and the policy could not be read`;
      record.noteUnknown({ code: "unreadable policy", message, step: urn });
    }
    return;
  }
  const changed = wanted
    ? afterOtherMake(policy.current, other, provider, before)
    : afterOtherDelete(policy.current, other, provider);
  if (provider === NATIVE && other.kind !== "policy") noteConditions(urn, record, [policy.current, changed]);
  if (hasLogs(policy.current) && !hasLogs(changed)) {
    world.note(`${shortNameOf(urn)} removes the configuration of audit logs of ${resource}`);
  }
  record.wrote(urn, accessChange(policy.current, changed));
  world.write(policy, changed);
}

function hasLogs({ auditConfigs = [] }: Policy): boolean {
  return auditConfigs.length > 0;
}

function takesFromOthers({ kind }: OtherGrant): boolean {
  return kind !== "member";
}

function noteConditions(urn: string, record: PolicyRecord, policies: readonly Policy[]): void {
  if (!policies.some(hasConditions)) return;
  const message =
    `It is unknown who keeps a grant under a condition: ${urn} is google-native's, which reads a policy without its ` +
    "conditions and writes it back";
  record.noteUnknown({ code: "unsupported", message, step: urn });
}
