import { nameTemplate } from "../../core/reference";
import { memberGrant, roleBinding, type GrantParent } from "../shared/member-grant";
import { datamigration } from "./service";

/** `datamigration.projects.locations.migrationJobs`; the permissions spell `migrationjobs` in lower case. */
const migrationJobGrants: GrantParent = {
  service: datamigration,
  grantName: "MigrationJobIamMember",
  kind: "a migration job",
  name: nameTemplate("projects/{project}/locations/{location}/migrationJobs/{migrationJob}"),
  permissions: ["datamigration.migrationjobs.getIamPolicy", "datamigration.migrationjobs.setIamPolicy"],
  // https://cloud.google.com/iam/docs/roles-permissions/datamigration: predefined roles with migrationjobs.setIamPolicy.
  policyAdminRoles: ["roles/datamigration.admin"],
  // The same page: the service's only other roles are those of its service agents.
  above: { permissions: ["datamigration.migrationjobs."], otherRoles: [] },
  example: {
    variable: "operators",
    name: "projects/demo-project/locations/us-central1/migrationJobs/orders-to-sql",
    role: "roles/datamigration.admin",
    member: "group:database@example.com",
  },
};

export const migrationJobIamMember = memberGrant(migrationJobGrants);
export const migrationJobIamBinding = roleBinding(migrationJobGrants);
