import type { ResourceKind } from "../kind";
import { healthcare } from "./api";
import { HEALTHCARE_ID } from "./datasets";

export const fhirStores: ResourceKind = {
  apis: healthcare,
  collection: "projects.locations.datasets.fhirStores",
  schema: "FhirStore",
  permissions: "healthcare.fhirStores",
  defaults: () => ({}),
  id: HEALTHCARE_ID,
};
