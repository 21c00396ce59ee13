import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import * as perimeter from "pulumi-perimeter-sdk";

const project = new pulumi.Config("perimeter").require("project");
const zone = new pulumi.Config().require("zone");

// A new zone makes a new id.
const suffix = new random.RandomId("suffix", { byteLength: 4, keepers: { zone } });
const associationId = pulumi.interpolate`prod-${suffix.hex}`;

// A new association needs a new request id: to a repeated id, the API returns its first answer again.
const request = new random.RandomUuid("request", {
  keepers: { association: pulumi.interpolate`${project}/${zone}/${associationId}` },
});

const prod = new perimeter.networksecurity.v1beta1.FirewallEndpointAssociation("prod", {
  firewallEndpoint: `organizations/123456789/locations/${zone}/firewallEndpoints/inspection`,
  network: `projects/${project}/global/networks/prod`,
  location: zone,
  firewallEndpointAssociationId: associationId,
  requestId: request.result,
});

export const association = prod.name;
