import { nameTemplate } from "../../core/reference";
import { memberGrant, roleBinding, type GrantParent } from "../shared/member-grant";
import { healthcare } from "./service";

/** `healthcare.projects.locations.datasets.fhirStores`. */
const datasetFhirStoreGrants: GrantParent = {
  service: healthcare,
  grantName: "DatasetFhirStoreIamMember",
  kind: "a FHIR store",
  name: nameTemplate("projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStore}"),
  permissions: ["healthcare.fhirStores.getIamPolicy", "healthcare.fhirStores.setIamPolicy"],
  // https://cloud.google.com/iam/docs/roles-permissions/healthcare: predefined roles with fhirStores.setIamPolicy.
  policyAdminRoles: ["roles/healthcare.fhirStoreAdmin", "roles/healthcare.datasetAdmin"],
  // The same page: roles of other kinds of stores, and the viewer of datasets without their stores.
  above: {
    permissions: ["healthcare.fhirStores.", "healthcare.fhirResources."],
    otherRoles: [
      ...["roles/healthcare.annotation", "roles/healthcare.attributeDefinition", "roles/healthcare.consent"],
      ...["roles/healthcare.dicom", "roles/healthcare.hl7V2", "roles/healthcare.nlp"],
      ...["roles/healthcare.userDataMapping", "roles/healthcare.datasetViewer"],
    ],
    parent: "dataset",
  },
  // The service's own quota, which its documentation does not state: GoogleCloudPlatform/magic-modules, pull request 2884.
  policyWritesPerMinute: 30,
  example: {
    variable: "nurses",
    name: "projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records",
    role: "roles/healthcare.fhirResourceReader",
    member: "group:nurses@example.com",
  },
};

export const datasetFhirStoreIamMember = memberGrant(datasetFhirStoreGrants);
export const datasetFhirStoreIamBinding = roleBinding(datasetFhirStoreGrants);
