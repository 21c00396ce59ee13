import * as pulumi from "@pulumi/pulumi";
import * as perimeter from "pulumi-perimeter-sdk";

// The same job as ../firewall-typescript, through the plugin: only the import is another.
const config = new pulumi.Config();
const project = new pulumi.Config("perimeter").require("project");
const zone = config.require("zone");
const region = zone.replace(/-[a-z]$/, "");

const prod = new perimeter.networksecurity.v1beta1.FirewallEndpointAssociation("prod", {
  firewallEndpoint: `organizations/123456789/locations/${zone}/firewallEndpoints/inspection`,
  network: `projects/${project}/global/networks/prod`,
  location: zone,
  firewallEndpointAssociationId: "prod",
  labels: { team: config.require("team") },
});

const migration = new perimeter.datamigration.v1beta1.MigrationJobIamMember("migration", {
  name: `projects/${project}/locations/us-central1/migrationJobs/orders-to-sql`,
  role: "roles/datamigration.admin",
  member: config.require("migrationMember"),
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
  { dependsOn: [prod] },
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

export const association = prod.name;
export const state = prod.state;
export const migrationPolicyEtag = migration.etag;
export const recordsProject = records.project;
export const scopeState = scope.state.code;
export const scopeNamespaceLabels = scope.namespaceLabels;
export const ordersService = trigger.destination.managedRun.service;
export const triggerRoles = triggerPolicy.bindings.apply((bindings) => bindings.map(({ role }) => role));
export const gatewayConditions = gatewayPolicy.bindings.apply((bindings) =>
  bindings.filter(({ condition }) => condition.expression !== "").map(({ condition }) => condition.title),
);
export const publishersTopic = publishers.resource;
export const passwordReaders = password.members;
export const archiveRoles = archivePolicy.bindings.apply((bindings) => bindings.map(({ role }) => role));
