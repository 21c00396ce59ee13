import { RefusedError } from "../core/errors";
import type { Policy } from "./policy";

/**
 * A service that does not support policy version 3 answers a condition as part of the role's name:
 * `roles/viewer_withcond_` and 20 hexadecimal digits (docs/wire.md section 9;
 * https://cloud.google.com/iam/docs/troubleshooting-withcond).
 */
const HIDDEN_CONDITION = /_withcond_[0-9a-f]{20}$/;

/** Refuses to write back a policy that was read without its conditions: they would be lost. Undefined: nothing is hidden. */
export function hiddenConditionRefusal(resource: string, read: Policy): RefusedError | undefined {
  const hidden = (read.bindings ?? []).filter((binding) => HIDDEN_CONDITION.test(binding.role ?? ""));
  if (hidden.length === 0) return undefined;
  return new RefusedError(
    `Refused to change the access policy of ${resource}: the API answered it without the conditions of ${hidden.length} ` +
      "binding(s), and writing it back would drop them for good",
  );
}
