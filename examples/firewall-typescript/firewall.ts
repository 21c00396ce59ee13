import * as pulumi from "@pulumi/pulumi";
import * as perimeter from "pulumi-perimeter";

/** Links a firewall endpoint to a network, grants two groups what they need, and looks at what is there already. */
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
  };
}
