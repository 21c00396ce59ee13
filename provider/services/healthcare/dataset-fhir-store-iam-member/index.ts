import { memberGrantResource } from "../../shared/member-grant-lifecycle";
import { datasetFhirStoreIamMember as definition, fhirStore } from "./definition";

export const datasetFhirStoreIamMember = memberGrantResource(definition, fhirStore);
