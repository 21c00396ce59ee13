import type { HiddenValues } from "../plan/hidden-values";
import type { PlannedGrant } from "../plan/planned-grant";
import type { ReviewedResource } from "../result/result";
import type { Place, StackClouds } from "./clouds";
import type { PoliciesAbove } from "./policies-above";
import { PolicyCopies } from "./policy-copies";
import { PolicyRecords } from "./policy-records";
import { outcomeOf, reviewedResource } from "./reviewed-resource";

export interface CurrentRead {
  clouds: StackClouds;
  hidden: HiddenValues;
  /** Reads the policies above the resources, too. */
  above?: PoliciesAbove | undefined;
  /** The grants of a stack: `unmanaged` has the others. @default none */
  granted?: readonly PlannedGrant[];
  /** More resources to read. @default none */
  places?: readonly Place[];
}

/** Reads who has access to resources now, each resource once. */
export async function resourcesNow({
  clouds,
  hidden,
  above,
  granted = [],
  places = [],
}: CurrentRead): Promise<ReviewedResource[]> {
  const records = new PolicyRecords(above?.policies ?? new PolicyCopies(), clouds);
  const placed = granted.flatMap((planned) => {
    const place = clouds.placeOf(planned);
    return place ? [{ place, planned }] : [];
  });
  await records.read([...placed.map(({ place }) => place), ...places]);
  for (const { place, planned } of placed) records.at(place).keeps(planned);
  for (const place of places) records.at(place);
  const all = records.all();
  const inherited = above ? await above.of(all.map(({ below }) => below)) : [];
  return all.map((record, index) =>
    hidden.scrubbed(reviewedResource({ record, outcome: outcomeOf(record) }, hidden, inherited[index])),
  );
}
