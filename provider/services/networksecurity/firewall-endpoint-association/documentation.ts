import type { Documentation } from "../../../core/documentation";

/** The documentation of an association. Permissions: docs/wire.md section 1. */
export const associationDocumentation: Documentation = {
  examples: [
    {
      title: "Link a firewall endpoint to a network",
      variable: "prod",
      values: {
        firewallEndpoint: "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
        network: "projects/demo-project/global/networks/prod",
        location: "us-central1-a",
        firewallEndpointAssociationId: "prod",
        labels: { team: "network" },
      },
      outputs: { associationName: "name", associationState: "state" },
    },
    {
      title: "Inspect TLS traffic too",
      text:
        "The TLS inspection policy is in the region of the zone. Without a `firewallEndpointAssociationId`, the server " +
        "makes one.",
      variable: "staging",
      values: {
        firewallEndpoint: "organizations/123456789/locations/us-central1-b/firewallEndpoints/inspection",
        network: "projects/demo-project/global/networks/staging",
        location: "us-central1-b",
        tlsInspectionPolicy: "projects/demo-project/locations/us-central1/tlsInspectionPolicies/outbound",
      },
      outputs: { associationId: "firewallEndpointAssociationId" },
    },
  ],
  permissions: [
    { permission: "networksecurity.firewallEndpointAssociations.create", on: "the project", for: "create" },
    {
      permission: "networksecurity.firewallEndpoints.use",
      on: "the organization or project of the firewall endpoint",
      for: "create",
    },
    {
      permission: "networksecurity.firewallEndpointAssociations.get",
      on: "the association",
      for: "create, update, refresh and import",
    },
    { permission: "networksecurity.firewallEndpointAssociations.update", on: "the association", for: "update" },
    { permission: "networksecurity.firewallEndpointAssociations.delete", on: "the association", for: "delete" },
    { permission: "networksecurity.operations.get", on: "the project", for: "create, update and delete" },
  ],
  errors: [
    {
      code: "INPUT",
      when: "an input breaks its rule, or the location is not the zone of the firewall endpoint",
      remedy: "Change the input that the message names. Nothing was sent.",
    },
    {
      code: "API",
      status: "ALREADY_EXISTS",
      when: "an association with this id exists and does not belong to this program",
      remedy: "Run the `pulumi import` command of the message, or choose another id.",
    },
    {
      code: "API",
      status: "FAILED_PRECONDITION",
      when: "the network already has an association in this zone, or the `requestId` was used before",
      remedy: "Delete or import the other association. Use a new `requestId`, or omit it.",
    },
    {
      code: "API",
      status: "INVALID_ARGUMENT",
      when: "the API does not accept a value, or does not let `network` or `firewallEndpoint` be changed in place",
      remedy: "Change what the message names, or set the resource option `replaceOnChanges` to these inputs.",
    },
    {
      code: "API",
      status: "PERMISSION_DENIED",
      when: "the caller lacks one of the permissions below, or the API is not enabled in the project",
      remedy: "Grant the permission that the message names, or open its link to enable the API.",
    },
    {
      code: "API",
      status: "NOT_FOUND",
      when: "somebody deleted the association before its update",
      remedy: "Run `pulumi refresh`, and then `pulumi up` to create it again.",
    },
    {
      code: "NOT_READY",
      when: "the run ended before its operation in the cloud ended, or the operation did not complete",
      remedy:
        "Run `pulumi up` or `pulumi refresh`, which wait for the same operation. Remove an association in state " +
        "`INACTIVE` with `pulumi destroy --target <urn>`, and the next `pulumi up` creates it again.",
    },
    {
      code: "REFUSED",
      when: "another resource of the program also declares the association to delete",
      remedy: "Give that resource an alias of this one, or remove one of the two.",
    },
  ],
};
