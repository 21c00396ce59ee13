"""The program under test: a function, so that each test can run it anew."""

import pulumi
import pulumi_perimeter as perimeter


def program() -> perimeter.datamigration.v1beta1.MigrationJobIamMember:
    project = pulumi.Config("perimeter").require("project")
    scope = perimeter.fleet.v1beta.get_scope_output(location="global", scope_id="team-a")
    # The gold tier's migration is looked after by the platform team, others by their own.
    member = scope.labels.apply(
        lambda labels: "group:platform@example.com" if labels.get("tier") == "gold" else "group:orders@example.com"
    )
    return perimeter.datamigration.v1beta1.MigrationJobIamMember(
        "migration",
        name=f"projects/{project}/locations/us-central1/migrationJobs/orders-to-sql",
        role="roles/datamigration.admin",
        member=member,
    )
