import type { ResourceType } from "../resource-type";
import { find } from "../checks";
import { healthcare } from "./api";
import { HEALTHCARE_ID } from "./datasets";

export const fhirStores: ResourceType = {
  apis: healthcare,
  collection: "projects.locations.datasets.fhirStores",
  schema: "FhirStore",
  permissions: "healthcare.fhirStores",
  defaults: () => ({}),
  id: HEALTHCARE_ID,
  methods: {
    // The emulator holds stores and no FHIR resources in them, so there is nothing to count.
    getFHIRStoreMetrics: {
      handler: ({ name }, { store }) => ({ name: find(store, name).name }),
      permission: "get",
    },
  },
};
