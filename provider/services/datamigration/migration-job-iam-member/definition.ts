import { nameTemplate } from "../../../core/reference";
import { defineMemberGrant, type GrantParent } from "../../shared/member-grant";
import { datamigration } from "../service";

/** `datamigration.projects.locations.migrationJobs`; the permissions write `migrationjobs` small. */
export const migrationJob: GrantParent = {
  service: datamigration,
  grantName: "MigrationJobIamMember",
  kind: "a migration job",
  name: nameTemplate("projects/{project}/locations/{location}/migrationJobs/{migrationJob}"),
  getPolicyPermission: "datamigration.migrationjobs.getIamPolicy",
  setPolicyPermission: "datamigration.migrationjobs.setIamPolicy",
};

export const migrationJobIamMember = defineMemberGrant(migrationJob);
