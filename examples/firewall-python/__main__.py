"""Links a firewall endpoint to a network, grants roles to teams, and reads resources that exist already."""

import re

import pulumi
import pulumi_perimeter as perimeter

config = pulumi.Config()
project = pulumi.Config("perimeter").require("project")
zone = config.require("zone")
region = re.sub(r"-[a-z]$", "", zone)

association = perimeter.networksecurity.v1beta1.FirewallEndpointAssociation(
    "prod",
    firewall_endpoint=f"organizations/123456789/locations/{zone}/firewallEndpoints/inspection",
    network=f"projects/{project}/global/networks/prod",
    location=zone,
    firewall_endpoint_association_id="prod",
    labels={"team": config.require("team")},
)

migration = perimeter.datamigration.v1beta1.MigrationJobIamMember(
    "migration",
    name=f"projects/{project}/locations/us-central1/migrationJobs/orders-to-sql",
    role="roles/datamigration.admin",
    member=config.require("migrationMember"),
)

records = perimeter.healthcare.v1beta1.DatasetFhirStoreIamMember(
    "records",
    name=f"projects/{project}/locations/us-central1/datasets/clinic/fhirStores/records",
    role="roles/healthcare.fhirResourceReader",
    member="group:nurses@example.com",
    condition={
        "title": "office-hours",
        "expression": 'request.time.getHours("Europe/Berlin") >= 7 && request.time.getHours("Europe/Berlin") < 19',
    },
)

scope = perimeter.fleet.v1beta.get_scope_output(location="global", scope_id="team-a")
trigger = perimeter.eventing.v1.get_trigger_output(location=region, trigger_id="orders")
# Read only once the association exists: at preview of its creation this is not known.
trigger_policy = perimeter.eventing.v1.get_trigger_iam_policy_output(
    location=region,
    trigger_id="orders",
    opts=pulumi.InvokeOutputOptions(depends_on=[association]),
)
gateway_policy = perimeter.apigateway.v1beta.get_gateway_iam_policy_output(location=region, gateway_id="edge")

# A grant on any kind of resource, by its full name: here the topic that the trigger reads, an output of the lookup.
publishers = perimeter.iam.v1.ResourceIamMember(
    "publishers",
    resource=pulumi.Output.concat("//pubsub.googleapis.com/", trigger.transport.messaging.topic),
    role="roles/pubsub.publisher",
    member="group:orders@example.com",
)

# Exactly these members may read the secret.
password = perimeter.iam.v1.ResourceIamBinding(
    "password",
    resource=f"//secretmanager.googleapis.com/projects/{project}/secrets/orders-password",
    role="roles/secretmanager.secretAccessor",
    members=["group:database@example.com", "user:grace@example.com"],
)

archive_policy = perimeter.iam.v1.get_resource_iam_policy_output(
    resource="//storage.googleapis.com/projects/_/buckets/demo-project-archive"
)

pulumi.export("association", association.name)
pulumi.export("state", association.state)
pulumi.export("migrationPolicyEtag", migration.etag)
pulumi.export("recordsProject", records.project)
pulumi.export("scopeState", scope.state.code)
pulumi.export("scopeNamespaceLabels", scope.namespace_labels)
pulumi.export("ordersService", trigger.destination.managed_run.service)
pulumi.export("triggerRoles", trigger_policy.bindings.apply(lambda bindings: [each.role for each in bindings]))
pulumi.export(
    "gatewayConditions",
    gateway_policy.bindings.apply(
        lambda bindings: [each.condition.title for each in bindings if each.condition.expression]
    ),
)
pulumi.export("publishersTopic", publishers.resource)
pulumi.export("passwordReaders", password.members)
pulumi.export("archiveRoles", archive_policy.bindings.apply(lambda bindings: [each.role for each in bindings]))
