import type { Grant } from "../../provider/iam/policy";
import type { ReviewedGrant, ReviewedResource } from "../result";
import type { AccessAbove } from "./policies-above";

/** The access from above, for a result. */
export function inheritedIn(
  { grants, unread }: AccessAbove,
  shown: (grant: Grant) => ReviewedGrant,
): Pick<ReviewedResource, "inherited" | "unreadAbove"> {
  return {
    ...(grants.length > 0 && { inherited: grants.map((grant) => ({ ...shown(grant), from: grant.from })) }),
    ...(unread.length > 0 && { unreadAbove: unread }),
  };
}
