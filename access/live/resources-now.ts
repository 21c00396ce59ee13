import type { HiddenValues } from "../plan/hidden-values";
import type { PlannedGrant } from "../plan/planned-grant";
import type { ReviewedResource } from "../result/result";
import type { AccessPolicies } from "./access-policies";
import type { Place } from "./place";
import type { PoliciesAbove } from "./policies-above";
import { outcomeOf, reviewedResource } from "./reviewed-resource";

export interface CurrentRead {
  hidden: HiddenValues;
  /** Reads the policies above the resources, too. */
  above?: PoliciesAbove | undefined;
  /** The grants of a stack: `unmanaged` has the others. @default none */
  granted?: readonly PlannedGrant[];
  /** More resources to read. @default none */
  places?: readonly Place[];
}

/** Reads who has access to resources now, each resource once. */
export async function resourcesNow(
  policies: AccessPolicies,
  { hidden, above, granted = [], places = [] }: CurrentRead,
): Promise<ReviewedResource[]> {
  const placed = granted.flatMap((planned) => {
    const place = policies.clouds.placeOf(planned);
    return place ? [{ place, planned }] : [];
  });
  const named = [...placed.map(({ place }) => place), ...places];
  await policies.read(named);
  for (const { place, planned } of placed) policies.at(place).keeps(planned);
  const all = [...new Set(named.map((place) => policies.at(place)))];
  const inherited = above ? await above.of(all) : [];
  return all.map((policy, index) =>
    hidden.scrubbed(reviewedResource({ policy, outcome: outcomeOf(policy) }, hidden, inherited[index])),
  );
}
