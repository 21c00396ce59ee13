import { NIL, validate as isUuid } from "uuid";
import * as z from "zod";
import { defineResource, type Documentation } from "../../../core/definition";
import { field } from "../../../core/field";
import { nameTemplate, parseReference, type ReferenceKind } from "../../../core/reference";
import { SERVICES } from "../../../core/services";
import type { WithUnknowns } from "../../../core/typed";
import { isUnknown } from "../../../core/unknown";
import { project, referenceTo, segment, timestamp } from "../../shared/fields";

export const associationName = nameTemplate(
  "projects/{project}/locations/{location}/firewallEndpointAssociations/{firewallEndpointAssociationId}",
);

const firewallEndpoint: ReferenceKind = {
  kind: "a firewall endpoint",
  api: SERVICES.networksecurity.api,
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
  api: SERVICES.networksecurity.api,
  templates: [nameTemplate("projects/{project}/locations/{location}/tlsInspectionPolicies/{tlsInspectionPolicy}")],
};

const LONGEST_ID = 63;

/** docs/wire.md section 6: 1 to 63 characters, `[a-z]([-a-z0-9]*[a-z0-9])?`. Ids that the server makes are UUIDs. */
export function associationId(): z.ZodString {
  return z
    .string()
    .min(1, "must not be empty")
    .max(LONGEST_ID, `must have at most ${LONGEST_ID} characters`)
    .regex(/^[a-z0-9-]*$/, "must consist of lowercase letters, digits and `-`");
}

const MOST_LABELS = 64;
const LABEL_KEY = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u;
const LABEL_VALUE = /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u;

/** Labels by the cloud's label rules: https://cloud.google.com/resource-manager/docs/labels-overview#requirements */
function labelMap(): z.ZodRecord<z.ZodString, z.ZodString> {
  return z.record(z.string(), z.string()).superRefine((labels, context) => {
    const entries = Object.entries(labels);
    if (entries.length > MOST_LABELS) {
      const message = `must have at most ${MOST_LABELS} labels, has ${entries.length}`;
      context.addIssue({ code: "custom", params: { quoted: false }, message });
    }
    for (const [key, value] of entries) {
      if (!LABEL_KEY.test(key)) {
        context.addIssue({
          code: "custom",
          path: [key],
          params: { quoted: false },
          message: "is not a valid label key: 1 to 63 lowercase letters, digits, `_` and `-`, beginning with a letter",
        });
      }
      if (!LABEL_VALUE.test(value)) {
        context.addIssue({
          code: "custom",
          path: [key],
          message: "must be a label value: up to 63 lowercase letters, digits, `_` and `-`",
        });
      }
    }
  });
}

/** Regions such as `us-central1`, and larger locations. Associations exist only in zones (docs/wire.md section 6). */
const LARGER_THAN_A_ZONE = /^(?:global|us|eu|asia|[a-z]+(?:-[a-z]+)+\d+)$/;

/** The name of a zone. New zones may have names of another form, so the check refuses only what is certainly no zone. */
export function zone(): z.ZodString {
  return segment().refine(
    (text) => !LARGER_THAN_A_ZONE.test(text),
    "must be the zone of the firewall endpoint, such as us-central1-a: a region has no associations",
  );
}

/** Every zone, in a list: the wildcard of https://google.aip.dev/159. */
export const ALL_ZONES = "-";

/** The documentation of an association. Permissions: docs/wire.md section 1. */
const associationDocumentation: Documentation = {
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
    { permission: "networksecurity.firewallEndpointAssociations.list", on: "the project", for: "list" },
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
      remedy:
        "Run the `pulumi import` command of the message, or choose another id. If `pulumi up --replace` should replace it, " +
        "set the resource option `deleteBeforeReplace`.",
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
      remedy:
        "Change what the message names, or set the resource option `deleteBeforeReplace` and run " +
        "`pulumi up --replace <urn>`.",
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

/** docs/wire.md section 6; `networksecurity.projects.locations.firewallEndpointAssociations`. */
export const firewallEndpointAssociation = defineResource({
  service: SERVICES.networksecurity,
  name: "FirewallEndpointAssociation",
  description:
    "Links a firewall endpoint to a network, in a project and a location. Auto-naming is not supported: without a " +
    "`firewallEndpointAssociationId` the server names the association, and nothing is derived from the Pulumi name.\n\n" +
    "A name that is unique comes from `random.RandomId` of the package `random`, and a `requestId` that each run sends again from " +
    "`random.RandomUuid`, with `keepers` that change whenever the association is replaced: the API answers a repeated request id as " +
    "before. The examples `unique-names-yaml` and `unique-names-plugin-typescript` have both.\n\n" +
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
        "project is supplied. Changing it replaces the association; the id and the number of the same project count as equal.",
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
  listInputs: z.strictObject({
    location: field(
      segment()
        .refine(
          (text) => !LARGER_THAN_A_ZONE.test(text),
          "must be a zone, or `-` for all zones: a region has no associations",
        )
        .optional(),
      "Zone whose associations are listed, such as `us-central1-a`, or `-` for those of all zones. Default: all zones.",
    ),
    project: field(
      project(),
      "Project whose associations are listed, its id or number. Default: the provider's default project.",
      {
        defaultFrom: "project",
      },
    ),
  }),
  outputs: z.object({
    createTime: timestamp("When the association was created."),
    name: field(
      z.string(),
      "Resource name, `projects/{project}/locations/{location}/firewallEndpointAssociations/{id}`.",
      { contains: ["project", "location", "firewallEndpointAssociationId"] },
    ),
    reconciling: field(z.boolean(), "Whether reconciliation is in progress."),
    state: field(z.string(), "Current state of the association.", {
      knownValues: ["STATE_UNSPECIFIED", "CREATING", "ACTIVE", "DELETING", "INACTIVE", "ORPHAN"],
    }),
    updateTime: timestamp("When the association was last updated."),
  }),
  computedInputs: ["firewallEndpointAssociationId", "location", "project"],
  idContains: ["project", "location", "firewallEndpointAssociationId"],
  importIds: [associationName.template],
  aliases: ["google-native:networksecurity/v1beta1:FirewallEndpointAssociation"],
});

export function looksLikeZone(location: string): boolean {
  return /^[a-z]+(?:-[a-z]+)+\d+-[a-z]+\d*[a-z]?$/.test(location);
}

/** The inputs that the rules use. */
interface Doubtful {
  firewallEndpointAssociationId?: string;
  location: string;
}

/** The reasons why the API may refuse the request, one line each. No value is quoted, because it may be a secret. */
export function doubtsAbout({ firewallEndpointAssociationId: id, location }: WithUnknowns<Doubtful>): string[] {
  const doubts: string[] = [];
  if (typeof id === "string" && !isUuid(id) && !/^[a-z](?:.*[a-z0-9])?$/.test(id)) {
    doubts.push(
      "firewallEndpointAssociationId should begin with a letter and end with a letter or digit: the API may refuse it",
    );
  }
  if (typeof location === "string" && !looksLikeZone(location)) {
    doubts.push("location does not look like a zone, such as us-central1-a: the API may refuse it");
  }
  return doubts;
}

/** Whether an association and its endpoint are in two zones, which the API refuses (docs/wire.md section 6). */
export function isFarFromEndpoint({
  location,
  firewallEndpoint: endpoint,
}: WithUnknowns<{ location: string; firewallEndpoint: string }>): boolean {
  if (isUnknown(location) || isUnknown(endpoint)) return false;
  return parseReference(firewallEndpoint, endpoint)?.location !== location;
}
