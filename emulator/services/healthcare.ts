import type { ServiceModule } from "../context";
import { policyMethods } from "../iam/methods";
import { choice, flag, int64, labels, list, message, nested, output, required, struct, text } from "../messages/schema";
import { getResource } from "./resources";

const path = "projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStore}";
const proto = "google.cloud.healthcare.v1beta1";

const fhirNotificationConfig = message(`${proto}.fhir.FhirNotificationConfig`, {
  pubsubTopic: text,
  sendFullResource: flag,
  sendPreviousResourceOnDelete: flag,
});

const schemaConfig = message(`${proto}.fhir.SchemaConfig`, {
  schemaType: choice(`${proto}.fhir.SchemaConfig.SchemaType`, [
    "SCHEMA_TYPE_UNSPECIFIED",
    "LOSSLESS",
    "ANALYTICS",
    "ANALYTICS_V2",
  ]),
  recursiveStructureDepth: int64,
  lastUpdatedPartitionConfig: nested(
    message(`${proto}.TimePartitioning`, {
      type: choice(`${proto}.TimePartitioning.PartitionType`, [
        "PARTITION_TYPE_UNSPECIFIED",
        "HOUR",
        "DAY",
        "MONTH",
        "YEAR",
      ]),
      expirationMs: int64,
    }),
  ),
});

const streamConfig = message(`${proto}.fhir.StreamConfig`, {
  resourceTypes: list(text),
  bigqueryDestination: nested(
    message(`${proto}.fhir.BigQueryDestination`, {
      datasetUri: text,
      schemaConfig: nested(schemaConfig),
      force: flag,
      writeDisposition: choice(`${proto}.fhir.BigQueryDestination.WriteDisposition`, [
        "WRITE_DISPOSITION_UNSPECIFIED",
        "WRITE_EMPTY",
        "WRITE_TRUNCATE",
        "WRITE_APPEND",
      ]),
      changeDataCaptureConfig: struct,
    }),
  ),
  // The de-identification settings are a large tree that no rule of the emulator looks into.
  deidentifiedStoreDestination: nested(
    message(`${proto}.fhir.DeidentifiedStoreDestination`, { store: text, config: struct }),
  ),
});

const consentConfig = message(`${proto}.ConsentConfig`, {
  version: required(
    choice(`${proto}.ConsentConfig.ConsentEnforcementVersion`, ["CONSENT_ENFORCEMENT_VERSION_UNSPECIFIED", "V1"]),
  ),
  accessEnforced: flag,
  accessDeterminationLogConfig: nested(
    message(`${proto}.AccessDeterminationLogConfig`, {
      logLevel: choice(`${proto}.AccessDeterminationLogConfig.LogLevel`, [
        "LOG_LEVEL_UNSPECIFIED",
        "DISABLED",
        "MINIMUM",
        "VERBOSE",
      ]),
    }),
  ),
  consentHeaderHandling: nested(
    message(`${proto}.ConsentHeaderHandling`, {
      profile: choice(`${proto}.ConsentHeaderHandling.ScopeProfile`, [
        "SCOPE_PROFILE_UNSPECIFIED",
        "PERMIT_EMPTY_SCOPE",
        "REQUIRED_ON_READ",
      ]),
    }),
  ),
  enforcedAdminConsents: list(text),
});

const fhirStore = message(`${proto}.fhir.FhirStore`, {
  name: output(text),
  version: choice(`${proto}.fhir.FhirStore.Version`, ["VERSION_UNSPECIFIED", "DSTU2", "STU3", "R4", "R5"]),
  disableReferentialIntegrity: flag,
  disableResourceVersioning: flag,
  enableUpdateCreate: flag,
  enableHistoryModifications: flag,
  defaultSearchHandlingStrict: flag,
  labels,
  complexDataTypeReferenceParsing: choice(`${proto}.fhir.FhirStore.ComplexDataTypeReferenceParsing`, [
    "COMPLEX_DATA_TYPE_REFERENCE_PARSING_UNSPECIFIED",
    "DISABLED",
    "ENABLED",
  ]),
  notificationConfig: nested(message(`${proto}.NotificationConfig`, { pubsubTopic: text, sendForBulkImport: flag })),
  notificationConfigs: list(nested(fhirNotificationConfig)),
  streamConfigs: list(nested(streamConfig)),
  searchConfig: nested(
    message(`${proto}.fhir.SearchConfig`, {
      searchParameters: list(nested(message(`${proto}.fhir.SearchParameter`, { canonicalUrl: text, parameter: text }))),
    }),
  ),
  consentConfig: nested(consentConfig),
  validationConfig: nested(
    message(`${proto}.fhir.ValidationConfig`, {
      disableProfileValidation: flag,
      enabledImplementationGuides: list(text),
      disableRequiredFieldValidation: flag,
      disableReferenceTypeValidation: flag,
      disableFhirpathValidation: flag,
    }),
  ),
  bulkExportGcsDestination: struct,
});

/** healthcare v1beta1 (wire reference, section 8). */
export const healthcare: ServiceModule = {
  methods: [
    {
      id: "healthcare.projects.locations.datasets.fhirStores.get",
      service: "healthcare",
      verb: "GET",
      version: "v1beta1",
      path,
      response: fhirStore,
      permission: "healthcare.fhirStores.get",
      handler: getResource,
    },
    ...policyMethods({
      service: "healthcare",
      version: "v1beta1",
      path,
      methodPrefix: "healthcare.projects.locations.datasets.fhirStores",
      permissionPrefix: "healthcare.fhirStores",
    }),
  ],
  resourceTypes: [{ service: "healthcare", path, message: fhirStore, policy: true, defaults: () => ({}) }],
};
