import * as pulumi from "@pulumi/pulumi";
import * as perimeter from "pulumi-perimeter";

/** Links a firewall endpoint to a network, grants roles to teams, and reads resources that exist already. */
export function firewall() {
  const config = new pulumi.Config();
  const project = new pulumi.Config("perimeter").require("project");
  const zone = config.get("zone") ?? "us-central1-a";
  const region = zone.replace(/-[a-z]$/, "");

  const association = new perimeter.networksecurity.v1beta1.FirewallEndpointAssociation("prod", {
    firewallEndpoint: `organizations/123456789/locations/${zone}/firewallEndpoints/inspection`,
    network: `projects/${project}/global/networks/prod`,
    location: zone,
    firewallEndpointAssociationId: "prod",
    labels: { team: config.get("team") ?? "network" },
  });

  const migration = new perimeter.datamigration.v1beta1.MigrationJobIamMember("migration", {
    name: `projects/${project}/locations/us-central1/migrationJobs/orders-to-sql`,
    role: "roles/datamigration.admin",
    member: config.get("migrationMember") ?? "group:database@example.com",
  });

  const records = new perimeter.healthcare.v1beta1.DatasetFhirStoreIamMember("records", {
    name: `projects/${project}/locations/us-central1/datasets/clinic/fhirStores/records`,
    role: "roles/healthcare.fhirResourceReader",
    member: "group:nurses@example.com",
    condition: {
      title: "office-hours",
      expression: 'request.time.getHours("Europe/Berlin") >= 7 && request.time.getHours("Europe/Berlin") < 19',
    },
  });

  const scope = perimeter.fleet.v1beta.getScopeOutput({ location: "global", scopeId: "team-a" });
  const trigger = perimeter.eventing.v1.getTriggerOutput({ location: region, triggerId: "orders" });
  // Read only once the association exists: at preview of its creation this is not known.
  const triggerPolicy = perimeter.eventing.v1.getTriggerIamPolicyOutput(
    { location: region, triggerId: "orders" },
    { dependsOn: association },
  );
  const gatewayPolicy = perimeter.apigateway.v1beta.getGatewayIamPolicyOutput({ location: region, gatewayId: "edge" });

  // A grant on any kind of resource, by its full name: here the topic that the trigger reads, an output of the lookup.
  const publishers = new perimeter.iam.v1.ResourceIamMember("publishers", {
    resource: pulumi.interpolate`//pubsub.googleapis.com/${trigger.transport.messaging.topic}`,
    role: "roles/pubsub.publisher",
    member: "group:orders@example.com",
  });

  // Exactly these members may read the secret.
  const password = new perimeter.iam.v1.ResourceIamBinding("password", {
    resource: `//secretmanager.googleapis.com/projects/${project}/secrets/orders-password`,
    role: "roles/secretmanager.secretAccessor",
    members: ["group:database@example.com", "user:grace@example.com"],
  });

  const archivePolicy = perimeter.iam.v1.getResourceIamPolicyOutput({
    resource: "//storage.googleapis.com/projects/_/buckets/demo-project-archive",
  });

  return {
    association: association.name,
    state: association.state,
    migrationPolicyEtag: migration.etag,
    recordsProject: records.project,
    scopeState: scope.state.code,
    scopeNamespaceLabels: scope.namespaceLabels,
    ordersService: trigger.destination.managedRun.service,
    triggerRoles: triggerPolicy.bindings.apply((bindings) => bindings.map(({ role }) => role)),
    gatewayConditions: gatewayPolicy.bindings.apply((bindings) =>
      bindings.filter(({ condition }) => condition.expression !== "").map(({ condition }) => condition.title),
    ),
    publishersTopic: publishers.resource,
    passwordReaders: password.members,
    archiveRoles: archivePolicy.bindings.apply((bindings) => bindings.map(({ role }) => role)),
  };
}
