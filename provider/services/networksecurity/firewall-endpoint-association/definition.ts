import { NIL, validate as isUuid } from "uuid";
import * as z from "zod";
import { defineResource } from "../../../core/definition";
import { field } from "../../../core/field";
import { nameTemplate, type ReferenceKind } from "../../../core/reference";
import { project, timestamp } from "../../shared/fields";
import { referenceTo } from "../../shared/references";
import { networksecurity } from "../service";
import { associationDocumentation } from "./documentation";
import { associationId, labelMap, zone } from "./rules";

export const associationName = nameTemplate(
  "projects/{project}/locations/{location}/firewallEndpointAssociations/{firewallEndpointAssociationId}",
);

export const firewallEndpoint: ReferenceKind = {
  kind: "a firewall endpoint",
  api: networksecurity.api,
  templates: [
    nameTemplate("organizations/{organization}/locations/{location}/firewallEndpoints/{firewallEndpoint}"),
    nameTemplate("projects/{project}/locations/{location}/firewallEndpoints/{firewallEndpoint}"),
  ],
};

const network: ReferenceKind = {
  kind: "a network",
  api: "compute",
  templates: [nameTemplate("projects/{project}/global/networks/{network}")],
};

const tlsInspectionPolicy: ReferenceKind = {
  kind: "a TLS inspection policy",
  api: networksecurity.api,
  templates: [nameTemplate("projects/{project}/locations/{location}/tlsInspectionPolicies/{tlsInspectionPolicy}")],
};

/** Spec section 2.5; `networksecurity.projects.locations.firewallEndpointAssociations`. */
export const firewallEndpointAssociation = defineResource({
  service: networksecurity,
  name: "FirewallEndpointAssociation",
  description:
    "Links a firewall endpoint to a network, in a project and a location. Auto-naming is not supported: without a " +
    "`firewallEndpointAssociationId` the server names the association, and nothing is derived from the Pulumi name.\n\n" +
    "The API accepts one association for each network in a zone. Creating one can take up to 15 minutes.",
  documentation: associationDocumentation,
  inputs: z.strictObject({
    firewallEndpoint: field(
      referenceTo(firewallEndpoint),
      "URL of the firewall endpoint being associated, or its resource name: " +
        "`organizations/{organization}/locations/{zone}/firewallEndpoints/{endpoint}`.",
      { reference: firewallEndpoint },
    ),
    network: field(
      referenceTo(network),
      "URL of the network being associated, or its resource name: `projects/{project}/global/networks/{network}`.",
      { reference: network },
    ),
    firewallEndpointAssociationId: field(
      associationId().optional(),
      "Id of the requested object: the last part of its name, up to 63 lowercase letters, digits and `-`, beginning with " +
        "a letter. Without one the server makes a UUID. Changing it replaces the association.",
      { change: "replace", outsideBody: true },
    ),
    labels: field(labelMap().optional(), "Key-value labels."),
    location: field(
      zone(),
      "Location of the association. In practice a zone, the one of the firewall endpoint (`us-central1-a`). Required, " +
        "unless the provider's configuration names a `zone`. Changing it replaces the association.",
      { change: "replace", outsideBody: true, defaultFrom: "zone" },
    ),
    project: field(
      project(),
      "Project of the association, its id or number. When omitted, the provider's default " +
        "project is supplied. Changing it replaces the association; the id and the number of a project are taken for one.",
      {
        change: "replace",
        outsideBody: true,
        defaultFrom: "project",
        isProject: true,
      },
    ),
    requestId: field(
      z
        .string()
        .refine((text) => isUuid(text), "must be a valid UUID, such as 3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11")
        .refine((text) => text !== NIL, "must not be the zero UUID, which the API does not support")
        .optional(),
      "Idempotency token of the create request, a UUID other than the zero one: for at least 60 minutes, a repeated " +
        "request with the same token is ignored. The provider makes one when none is given. Changing only this changes " +
        "nothing.",
      { change: "none", outsideBody: true },
    ),
    tlsInspectionPolicy: field(
      referenceTo(tlsInspectionPolicy).optional(),
      "URL of the TLS inspection policy being associated, or its resource name: " +
        "`projects/{project}/locations/{region}/tlsInspectionPolicies/{policy}`. Removing it clears it.",
      { reference: tlsInspectionPolicy },
    ),
  }),
  outputs: z.object({
    createTime: timestamp("When the association was created."),
    name: field(
      z.string(),
      "Resource name, `projects/{project}/locations/{location}/firewallEndpointAssociations/{id}`.",
      { shows: ["project", "location", "firewallEndpointAssociationId"] },
    ),
    reconciling: field(z.boolean(), "Whether reconciliation is in progress."),
    state: field(z.string(), "Current state of the association.", {
      knownValues: ["STATE_UNSPECIFIED", "CREATING", "ACTIVE", "DELETING", "INACTIVE", "ORPHAN"],
    }),
    updateTime: timestamp("When the association was last updated."),
  }),
  presentWhenOmitted: ["firewallEndpointAssociationId", "location", "project"],
  idShows: ["project", "location", "firewallEndpointAssociationId"],
  importIds: [associationName.template],
  aliases: ["google-native:networksecurity/v1beta1:FirewallEndpointAssociation"],
});
