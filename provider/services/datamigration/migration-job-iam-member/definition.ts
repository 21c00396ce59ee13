import { nameTemplate } from "../../../core/reference";
import { defineMemberGrant, type GrantParent } from "../../shared/member-grant";
import { datamigration } from "../service";

/** `datamigration.projects.locations.migrationJobs`; the permissions write `migrationjobs` small. */
export const migrationJob: GrantParent = {
  service: datamigration,
  grantName: "MigrationJobIamMember",
  kind: "a migration job",
  name: nameTemplate("projects/{project}/locations/{location}/migrationJobs/{migrationJob}"),
  permissions: ["datamigration.migrationjobs.getIamPolicy", "datamigration.migrationjobs.setIamPolicy"],
  policyAdminRoles: ["roles/datamigration.admin"],
};

export const migrationJobIamMember = defineMemberGrant(migrationJob);
