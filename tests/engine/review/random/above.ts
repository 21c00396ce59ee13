/** Policies above the stores of random programs, and what they give, decided by a list of its own. */
import type { Emulator } from "../../../../emulator";
import type { Policy } from "../../../../provider/iam/policy";
import type { Random } from "../../../support/grants-random";
import { grantTexts } from "../../../support/grant-texts";
import { EXPIRED } from "../../../support/review-outcome";
import { randomPolicy } from "./policies";

const PROJECT = "projects/demo-project";
/** The project, its folder and its organization, with their labels in a result. */
const ABOVE: Record<string, string> = {
  [PROJECT]: "project demo-project",
  "folders/7": "folder 7",
  "organizations/1": "organization 1",
};
/** The same, and the dataset of a store. */
function above(dataset: string): Record<string, string> {
  return { [dataset]: `dataset ${dataset.slice(dataset.lastIndexOf("/") + 1)}`, ...ABOVE };
}
/** The roles of the documentation that have permissions on FHIR stores, a custom one, and roles that have none. */
const ROLES: Record<string, boolean> = {
  "roles/viewer": true,
  "roles/healthcare.fhirResourceEditor": true,
  "roles/iam.securityAdmin": true,
  [`${PROJECT}/roles/clinician`]: true,
  [`${PROJECT}/roles/janitor`]: false,
  "roles/healthcare.dicomEditor": false,
  "roles/storage.admin": false,
};

/** The seed of what is above the stores. */
export const aboveSeed = [
  { service: "cloudresourcemanager", name: PROJECT, body: { parent: "folders/7" } },
  { service: "cloudresourcemanager", name: "folders/7", body: { parent: "organizations/1" } },
  { service: "cloudresourcemanager", name: "organizations/1" },
  {
    service: "iam",
    name: `${PROJECT}/roles/clinician`,
    body: { includedPermissions: ["healthcare.fhirResources.get"] },
  },
  { service: "iam", name: `${PROJECT}/roles/janitor`, body: { includedPermissions: ["pubsub.topics.list"] } },
];

/** Gives the resources above the stores other policies. */
export function randomizeAbove(cloud: Emulator, datasets: readonly string[], random: Random): void {
  for (const name of [...datasets, ...Object.keys(ABOVE)]) {
    const bindings = (random.next() < 0.6 ? (randomPolicy(random).bindings ?? []) : []).map((each) => ({
      ...each,
      role: random.pick(Object.keys(ROLES)),
    }));
    cloud.mutate(name, { policy: { bindings } });
  }
}

/** The grants of the policies above that give access to the stores of a dataset, by their label in a result. */
export function grantsAbove(cloud: Emulator, dataset: string): Record<string, Set<string>> {
  const given = (policy: Policy = {}): Policy => ({
    bindings: (policy.bindings ?? [])
      .filter(({ role = "", condition }) => ROLES[role] && condition?.expression !== EXPIRED)
      .map((each) => ({ ...each, members: (each.members ?? []).filter((member) => !member.startsWith("deleted:")) })),
  });
  return Object.fromEntries(
    Object.entries(above(dataset)).map(([name, label]) => [
      label,
      new Set(grantTexts(given(cloud.resource(name)?.policy))),
    ]),
  );
}
