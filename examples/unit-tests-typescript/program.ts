import * as pulumi from "@pulumi/pulumi";
import * as perimeter from "pulumi-perimeter";

/** The program under test. A function, so that each test can run it anew. */
export function program() {
  const project = new pulumi.Config("perimeter").require("project");
  const location = `projects/${project}/locations/us-central1`;

  const scope = perimeter.fleet.v1beta.getScopeOutput({ location: "global", scopeId: "team-a" });
  // The gold tier's migration is looked after by the platform team, others by their own.
  const member = scope.labels.apply((labels) =>
    labels.tier === "gold" ? "group:platform@example.com" : "group:orders@example.com",
  );
  const grant = new perimeter.datamigration.v1beta1.MigrationJobIamMember("migration", {
    name: `${location}/migrationJobs/orders-to-sql`,
    role: "roles/datamigration.admin",
    member,
  });
  return { member: grant.member, resource: grant.name };
}
