import { nameTemplate } from "../../../core/reference";
import { defineMemberGrant, type GrantParent } from "../../shared/member-grant";
import { healthcare } from "../service";

/** `healthcare.projects.locations.datasets.fhirStores`. */
export const fhirStore: GrantParent = {
  service: healthcare,
  grantName: "DatasetFhirStoreIamMember",
  kind: "a FHIR store",
  name: nameTemplate("projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStore}"),
  getPolicyPermission: "healthcare.fhirStores.getIamPolicy",
  setPolicyPermission: "healthcare.fhirStores.setIamPolicy",
};

export const datasetFhirStoreIamMember = defineMemberGrant(fhirStore);
