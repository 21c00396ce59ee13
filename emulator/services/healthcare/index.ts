import { Api, type ApiNotes } from "../../base/api";
import { healthcareV1 } from "../../base/generated/healthcare.v1";
import { healthcareV1beta1 } from "../../base/generated/healthcare.v1beta1";
import { find } from "../checks";
import { serve, type ResourceDeclaration } from "../resource-type";

/** The messages of each kind of store are in a separate package. */
const FHIR =
  /^(GoogleCloudHealthcareV1(beta1)?Fhir(?=[A-Z])|(?=Fhir(Store|NotificationConfig)$|StreamConfig$|SchemaConfig$|SearchConfig$|SearchParameter$|ValidationConfig$|DeidentifiedStoreDestination$))/;

const notes: ApiNotes = {
  title: "Cloud Healthcare API",
  messageName: (schema) => schema.replace(FHIR, "fhir."),
  denial: (permission, resource) =>
    `Permission ${permission} denied on resource ${resource} (or it may be malformed or not exist)`,
};

/** Ids of healthcare may also contain capital letters, underscores and dots, and start with a digit. */
const id = {
  form: /^[\p{L}\p{N}_\-.]{1,256}$/u,
  words: "it must consist of letters, numbers, underscores, dashes and dots",
};

const datasets: ResourceDeclaration = {
  collection: "projects.locations.datasets",
  schema: "Dataset",
  permissions: "healthcare.datasets",
  defaults: () => ({}),
  creating: ({ timeZone }) => ({ timeZone: timeZone ?? "UTC" }),
  id,
  children: "deleted",
};

const fhirStores: ResourceDeclaration = {
  collection: "projects.locations.datasets.fhirStores",
  schema: "FhirStore",
  permissions: "healthcare.fhirStores",
  defaults: () => ({}),
  id,
  methods: {
    // The emulator has FHIR stores, but no FHIR resources in them, so the counts are empty.
    getFHIRStoreMetrics: {
      handler: ({ name }, { store }) => ({ name: find(store, "healthcare", name).name }),
      permission: "get",
    },
  },
};

/** docs/wire.md section 8 */
export const healthcare = serve(
  [
    new Api(healthcareV1beta1, notes),
    new Api(healthcareV1, notes),
    // Its discovery document is not published. The messages of gcloud alpha are similar to v1beta1.
    new Api(healthcareV1beta1, notes, "v1alpha2"),
  ],
  [datasets, fhirStores],
);
