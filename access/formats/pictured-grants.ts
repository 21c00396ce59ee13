import type { Grant } from "../../picture/grants";
import { grantBefore, grantsIn, keyOfGrant } from "../result/grants";
import type { ReviewedGrant, ReviewedResource } from "../result/result";
import { mapTexts } from "../result/texts";
import { visible } from "../result/visible";

/** The grants of a resource for its picture. */
export interface PicturedGrants {
  /** The grants after the plan, of which some are marked as added, and the removed grants. */
  grants: Grant[];
  /** Whether the resource is compared with an earlier policy. */
  isCompared: boolean;
}

/**
 * The grants of a resource, each once, with marks for the changes that the result names; null if the policy is unknown.
 *
 * @param isAccess whether the result is the current access: without changes, it is compared with nothing.
 */
export function picturedGrants({ before, after, changes }: ReviewedResource, isAccess: boolean): PicturedGrants | null {
  if (after === null) return null;
  const isCompared = before !== null && (!isAccess || changes.length > 0);
  const added = new Set(changes.filter(({ change }) => change !== "lost").map(keyOfGrant));
  const removed = changes.flatMap((change) => grantBefore(change) ?? []);
  const each = new Map(grantsIn(after).map((grant) => [keyOfGrant(grant), grant]));
  return {
    grants: [
      ...[...each].map(([key, grant]) => pictured(grant, isCompared && added.has(key) ? "added" : undefined)),
      ...(isCompared ? removed.map((grant) => pictured(grant, "removed")) : []),
    ],
    isCompared,
  };
}

function pictured({ principal: member, role, condition }: ReviewedGrant, change: Grant["change"]): Grant {
  return mapTexts({ member, role, ...(condition && { condition }), ...(change && { change }) }, visible);
}
