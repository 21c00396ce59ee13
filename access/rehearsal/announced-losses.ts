import { accessChange } from "../../provider/iam/policy";
import { countPrincipals } from "../../provider/iam/preview-access-change";
import { counted } from "../visible";
import type { Plan } from "../plan/plan";
import type { Uncertainty } from "../result";
import type { PolicyRecords } from "./policy-records";
import type { Tasks } from "./tasks";

/**
 * Compares the outcome of a rehearsal with the losses that the provider reported at preview, and notes each resource where
 * fewer principals lose a role: a review with a missing step or a wrong setting must not report that nobody loses access.
 *
 * @returns the facts that belong to no policy of the rehearsal.
 */
export function noteAnnouncedLosses(
  { announced, steps }: Plan,
  { inOrder }: Tasks,
  records: PolicyRecords,
): Uncertainty[] {
  // The provider previews a resource also when `--target` makes the engine skip it.
  const untouched = new Set(steps.filter(({ op }) => op === "same").map(({ urn }) => urn));
  return announced.flatMap(({ urn, resource, principals }) => {
    if (untouched.has(urn)) return [];
    // An old resource that an earlier update left to delete has the same URN.
    const wanted = inOrder.find((task) => task.wanted && task.step.step.urn === urn)?.wanted;
    const record = wanted && records.of(wanted);
    const policy = record?.options.policy;
    // An unreadable policy is already noted.
    if (record && !policy) return [];
    const found = policy ? countPrincipals(accessChange(policy.live, policy.current).lost) : 0;
    if (found >= principals) return [];
    const uncertainty: Uncertainty = {
      code: "differs from preview",
      message:
        `It is unknown who loses access to ${resource}: the preview reported ${counted(principals, "principal")}, and this review finds ` +
        `${found}. The access policy may have changed since the preview: run both again`,
      ...(urn === "" ? {} : { step: urn }),
    };
    record?.noteUnknown(uncertainty);
    return record ? [] : [uncertainty];
  });
}
