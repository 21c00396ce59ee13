import * as pulumi from "@pulumi/pulumi";
import * as perimeter from "pulumi-perimeter";

/** What a team gets: one role on each of its migration jobs, one on each of its FHIR stores. */
export interface TeamAccessArgs {
  /** Who the team is, such as `group:orders@example.com`. */
  member: pulumi.Input<string>;
  /** Full names of migration jobs: `projects/{project}/locations/{location}/migrationJobs/{job}`. */
  migrationJobs?: string[];
  /** @default "roles/datamigration.admin" */
  migrationRole?: string;
  /** Full names of FHIR stores: `projects/…/datasets/{dataset}/fhirStores/{store}`. */
  fhirStores?: string[];
  /** @default "roles/healthcare.fhirResourceReader" */
  fhirRole?: string;
}

/**
 * A team's grants, as one thing to declare and to delete. It is for stacks with `perimeter:grantMode` set to `merge`: in
 * `replace` mode, two teams on one resource would each take it from the other.
 */
export class TeamAccess extends pulumi.ComponentResource {
  /** The full names of all resources on which the team has a role. */
  readonly resources: pulumi.Output<string[]>;

  constructor(name: string, args: TeamAccessArgs, opts?: pulumi.ComponentResourceOptions) {
    super("examples:index:TeamAccess", name, {}, opts);
    const { member, migrationRole = "roles/datamigration.admin" } = args;
    const { fhirRole = "roles/healthcare.fhirResourceReader" } = args;

    const jobs = (args.migrationJobs ?? []).map(
      (job) =>
        new perimeter.datamigration.v1beta1.MigrationJobIamMember(
          `${name}-${lastPart(job)}`,
          { name: job, role: migrationRole, member },
          { parent: this },
        ),
    );
    const stores = (args.fhirStores ?? []).map(
      (store) =>
        new perimeter.healthcare.v1beta1.DatasetFhirStoreIamMember(
          `${name}-${lastPart(store)}`,
          { name: store, role: fhirRole, member },
          { parent: this },
        ),
    );
    this.resources = pulumi.all([...jobs, ...stores].map((grant) => grant.name));
    this.registerOutputs({ resources: this.resources });
  }
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
