import { SERVICES } from "../core/services";
import { grantParent } from "./shared/parent";

/**
 * The kinds of resources whose access policies the provider manages, one row each: its member grant, its role binding and the
 * lookup of its policy are derived from the row. Add new kinds here.
 */
export const parents = [
  grantParent({
    service: SERVICES.datamigration,
    name: "MigrationJob",
    kind: "a migration job",
    template: "projects/{project}/locations/{location}/migrationJobs/{migrationJob}",
    // The permissions spell `migrationjobs` in lower case.
    permissionPrefix: "datamigration.migrationjobs",
    // https://cloud.google.com/iam/docs/roles-permissions/datamigration: predefined roles with migrationjobs.setIamPolicy. The
    // service's only other roles are those of its service agents.
    adminRoles: ["roles/datamigration.admin"],
    example: {
      variable: "operators",
      name: "projects/demo-project/locations/us-central1/migrationJobs/orders-to-sql",
      role: "roles/datamigration.admin",
      member: "group:database@example.com",
    },
  }),
  grantParent({
    service: SERVICES.healthcare,
    name: "DatasetFhirStore",
    kind: "a FHIR store",
    template: "projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStore}",
    permissionPrefix: "healthcare.fhirStores",
    contents: ["healthcare.fhirResources"],
    // https://cloud.google.com/iam/docs/roles-permissions/healthcare: predefined roles with fhirStores.setIamPolicy.
    adminRoles: ["roles/healthcare.fhirStoreAdmin", "roles/healthcare.datasetAdmin"],
    // The same page: roles of other kinds of stores, and the viewer of datasets without their stores.
    otherRoles: [
      ...["roles/healthcare.annotation", "roles/healthcare.attributeDefinition", "roles/healthcare.consent"],
      ...["roles/healthcare.dicom", "roles/healthcare.hl7V2", "roles/healthcare.nlp"],
      ...["roles/healthcare.userDataMapping", "roles/healthcare.datasetViewer"],
    ],
    example: {
      variable: "nurses",
      name: "projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records",
      role: "roles/healthcare.fhirResourceReader",
      member: "group:nurses@example.com",
    },
  }),
  grantParent({
    service: SERVICES.eventing,
    name: "Trigger",
    kind: "an event trigger",
    template: "projects/{project}/locations/{location}/triggers/{trigger}",
    permissionPrefix: "eventarc.triggers",
    // https://cloud.google.com/iam/docs/roles-permissions/eventarc: predefined roles with triggers.setIamPolicy.
    adminRoles: ["roles/eventarc.admin"],
    // The same page: roles of message buses, of pipelines and of those who publish and receive events.
    otherRoles: [
      ...["roles/eventarc.messageBus", "roles/eventarc.connectionPublisher"],
      ...["roles/eventarc.publisher", "roles/eventarc.eventReceiver"],
    ],
    example: {
      variable: "ordersTeam",
      name: "projects/demo-project/locations/us-central1/triggers/orders",
      role: "roles/eventarc.developer",
      member: "group:orders@example.com",
    },
    policyLookup: "the trigger",
  }),
  grantParent({
    service: SERVICES.apigateway,
    name: "Gateway",
    kind: "an API gateway",
    template: "projects/{project}/locations/{location}/gateways/{gateway}",
    permissionPrefix: "apigateway.gateways",
    // https://cloud.google.com/iam/docs/roles-permissions/apigateway: predefined roles with gateways.setIamPolicy. Both roles of
    // the service, admin and viewer, have permissions on gateways.
    adminRoles: ["roles/apigateway.admin"],
    example: {
      variable: "auditors",
      name: "projects/demo-project/locations/us-central1/gateways/edge",
      role: "roles/apigateway.viewer",
      member: "group:audit@example.com",
    },
    policyLookup: "the gateway",
  }),
];
