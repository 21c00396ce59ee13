import { accessChange, hasConditions, type Policy } from "../../provider/iam/policy";
import { afterNativeDelete, afterNativeMake, grantsOfNative } from "../plan/native-policy";
import type { PolicyRecord } from "../live/policy-record";
import type { PolicyCopy } from "../live/policy-copies";
import type { PlannedGrant } from "../plan/planned-grant";
import type { Task } from "./tasks";

interface NativeWorld {
  write(policy: PolicyCopy, changed: Policy): void;
  note(note: string): void;
}

/**
 * Applies a step of google-native on a grant.
 *
 * @param wanted absent for a delete.
 */
export function actOfNative(
  task: Task,
  wanted: PlannedGrant | undefined,
  record: PolicyRecord,
  world: NativeWorld,
): void {
  const { step, old, op } = task;
  const { urn } = step.step;
  const native = wanted ? wanted.native : old?.native;
  const { policy } = record.options;
  const { resource } = record;
  if (!native) {
    const message = `${urn} is google-native's, and ${wanted ? "its inputs do" : "the state does"} not say what it grants`;
    record.noteUnknown({ code: wanted ? "unsupported" : "incomplete state", message, step: urn });
    return;
  }
  if (!wanted && native.kind === "policy") {
    world.note(`google-native does not change the access policy of ${resource} when it deletes ${urn}`);
    return;
  }
  const before = op === "update" ? old?.native : undefined;
  if (!policy) {
    const gone = wanted ? before : native;
    record.wrote(urn, { gained: wanted ? grantsOfNative(native) : [], lost: gone ? grantsOfNative(gone) : [] });
    return;
  }
  const changed = wanted ? afterNativeMake(policy.current, native, before) : afterNativeDelete(policy.current, native);
  if (native.kind !== "policy" && (hasConditions(policy.current) || hasConditions(changed))) {
    const message =
      `It is unknown who keeps a grant under a condition: ${urn} is google-native's, which reads a policy without its ` +
      "conditions and writes it back";
    record.noteUnknown({ code: "unsupported", message, step: urn });
  }
  record.wrote(urn, accessChange(policy.current, changed));
  world.write(policy, changed);
}
