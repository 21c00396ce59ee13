import { nameTemplate } from "../../core/reference";
import { memberGrant } from "../shared/member-grant";
import { healthcare } from "./service";

/** `healthcare.projects.locations.datasets.fhirStores`. */
export const datasetFhirStoreIamMember = memberGrant({
  service: healthcare,
  grantName: "DatasetFhirStoreIamMember",
  kind: "a FHIR store",
  name: nameTemplate("projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStore}"),
  permissions: ["healthcare.fhirStores.getIamPolicy", "healthcare.fhirStores.setIamPolicy"],
  policyAdminRoles: ["roles/healthcare.fhirStoreAdmin", "roles/healthcare.datasetAdmin"],
  policyWritesPerMinute: 30,
});
