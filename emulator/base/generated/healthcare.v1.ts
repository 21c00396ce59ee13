// Written by `make generate` from tests/wire/discovery/healthcare.v1.json: do not edit.
import type { ApiDescription } from "../api";

export const healthcareV1: ApiDescription = {
 "service": "healthcare",
 "version": "v1",
 "methods": {
  "projects.locations.datasets.create": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/datasets",
   "query": {
    "datasetId": "string"
   },
   "request": "Dataset",
   "response": "Operation"
  },
  "projects.locations.datasets.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}",
   "response": "Empty"
  },
  "projects.locations.datasets.fhirStores.create": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}/fhirStores",
   "query": {
    "fhirStoreId": "string"
   },
   "request": "FhirStore",
   "response": "FhirStore"
  },
  "projects.locations.datasets.fhirStores.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStore}",
   "response": "Empty"
  },
  "projects.locations.datasets.fhirStores.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStore}",
   "response": "FhirStore"
  },
  "projects.locations.datasets.fhirStores.getFHIRStoreMetrics": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStore}",
   "action": "getFHIRStoreMetrics",
   "response": "FhirStoreMetrics"
  },
  "projects.locations.datasets.fhirStores.getIamPolicy": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStore}",
   "action": "getIamPolicy",
   "query": {
    "options.requestedPolicyVersion": "int32"
   },
   "response": "Policy"
  },
  "projects.locations.datasets.fhirStores.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}/fhirStores",
   "query": {
    "filter": "string",
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListFhirStoresResponse"
  },
  "projects.locations.datasets.fhirStores.patch": {
   "verb": "PATCH",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStore}",
   "query": {
    "updateMask": "string"
   },
   "request": "FhirStore",
   "response": "FhirStore"
  },
  "projects.locations.datasets.fhirStores.setIamPolicy": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStore}",
   "action": "setIamPolicy",
   "request": "SetIamPolicyRequest",
   "response": "Policy"
  },
  "projects.locations.datasets.fhirStores.testIamPermissions": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStore}",
   "action": "testIamPermissions",
   "request": "TestIamPermissionsRequest",
   "response": "TestIamPermissionsResponse"
  },
  "projects.locations.datasets.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}",
   "response": "Dataset"
  },
  "projects.locations.datasets.getIamPolicy": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}",
   "action": "getIamPolicy",
   "query": {
    "options.requestedPolicyVersion": "int32"
   },
   "response": "Policy"
  },
  "projects.locations.datasets.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/datasets",
   "query": {
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListDatasetsResponse"
  },
  "projects.locations.datasets.operations.cancel": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}/operations/{operation}",
   "action": "cancel",
   "request": "CancelOperationRequest",
   "response": "Empty"
  },
  "projects.locations.datasets.operations.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}/operations/{operation}",
   "response": "Operation"
  },
  "projects.locations.datasets.operations.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}/operations",
   "query": {
    "filter": "string",
    "pageSize": "int32",
    "pageToken": "string",
    "returnPartialSuccess": "bool"
   },
   "response": "ListOperationsResponse"
  },
  "projects.locations.datasets.patch": {
   "verb": "PATCH",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}",
   "query": {
    "updateMask": "string"
   },
   "request": "Dataset",
   "response": "Dataset"
  },
  "projects.locations.datasets.setIamPolicy": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}",
   "action": "setIamPolicy",
   "request": "SetIamPolicyRequest",
   "response": "Policy"
  },
  "projects.locations.datasets.testIamPermissions": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/datasets/{dataset}",
   "action": "testIamPermissions",
   "request": "TestIamPermissionsRequest",
   "response": "TestIamPermissionsResponse"
  },
  "projects.locations.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}",
   "response": "Location"
  },
  "projects.locations.list": {
   "verb": "GET",
   "path": "projects/{project}/locations",
   "query": {
    "extraLocationTypes": "strings",
    "filter": "string",
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListLocationsResponse"
  }
 },
 "messages": {
  "AccessDeterminationLogConfig": {
   "logLevel": "enum LOG_LEVEL_UNSPECIFIED DISABLED MINIMUM VERBOSE"
  },
  "AuditConfig": {
   "auditLogConfigs": "list AuditLogConfig",
   "service": "string"
  },
  "AuditLogConfig": {
   "exemptedMembers": "list string",
   "logType": "enum LOG_TYPE_UNSPECIFIED ADMIN_READ DATA_WRITE DATA_READ"
  },
  "Binding": {
   "condition": "Expr",
   "members": "list string",
   "role": "string"
  },
  "BulkExportGcsDestination": {
   "uriPrefix": "string"
  },
  "CancelOperationRequest": {},
  "CharacterMaskConfig": {
   "maskingCharacter": "string"
  },
  "ConsentConfig": {
   "accessDeterminationLogConfig": "AccessDeterminationLogConfig",
   "accessEnforced": "bool",
   "consentHeaderHandling": "ConsentHeaderHandling",
   "enforcedAdminConsents": "output list string",
   "version": "required enum CONSENT_ENFORCEMENT_VERSION_UNSPECIFIED V1"
  },
  "ConsentHeaderHandling": {
   "profile": "enum SCOPE_PROFILE_UNSPECIFIED PERMIT_EMPTY_SCOPE REQUIRED_ON_READ"
  },
  "CryptoHashConfig": {
   "cryptoKey": "bytes",
   "kmsWrapped": "KmsWrappedCryptoKey"
  },
  "CustomRegex": {
   "groupIndexes": "list int32",
   "pattern": "string"
  },
  "Dataset": {
   "encryptionSpec": "EncryptionSpec",
   "name": "immutable string",
   "satisfiesPzi": "output bool",
   "satisfiesPzs": "output bool",
   "timeZone": "string"
  },
  "DateShiftConfig": {
   "cryptoKey": "bytes",
   "kmsWrapped": "KmsWrappedCryptoKey"
  },
  "DeidentifiedStoreDestination": {
   "config": "DeidentifyConfig",
   "store": "string"
  },
  "DeidentifyConfig": {
   "dicom": "DicomConfig",
   "fhir": "FhirConfig",
   "image": "ImageConfig",
   "text": "TextConfig",
   "useRegionalDataProcessing": "bool"
  },
  "DicomConfig": {
   "filterProfile": "enum TAG_FILTER_PROFILE_UNSPECIFIED MINIMAL_KEEP_LIST_PROFILE ATTRIBUTE_CONFIDENTIALITY_BASIC_PROFILE KEEP_ALL_PROFILE DEIDENTIFY_TAG_CONTENTS",
   "keepList": "TagFilterList",
   "removeList": "TagFilterList",
   "skipIdRedaction": "bool"
  },
  "Empty": {},
  "EncryptionSpec": {
   "kmsKeyName": "required string"
  },
  "Expr": {
   "description": "string",
   "expression": "string",
   "location": "string",
   "title": "string"
  },
  "FhirConfig": {
   "defaultKeepExtensions": "bool",
   "fieldMetadataList": "list FieldMetadata"
  },
  "FhirNotificationConfig": {
   "pubsubTopic": "string",
   "sendFullResource": "bool",
   "sendPreviousResourceOnDelete": "bool"
  },
  "FhirStore": {
   "bulkExportGcsDestination": "BulkExportGcsDestination",
   "complexDataTypeReferenceParsing": "enum COMPLEX_DATA_TYPE_REFERENCE_PARSING_UNSPECIFIED DISABLED ENABLED",
   "consentConfig": "ConsentConfig",
   "defaultSearchHandlingStrict": "bool",
   "disableReferentialIntegrity": "immutable bool",
   "disableResourceVersioning": "immutable bool",
   "enableUpdateCreate": "bool",
   "labels": "map string",
   "name": "immutable output string",
   "notificationConfig": "NotificationConfig",
   "notificationConfigs": "list FhirNotificationConfig",
   "streamConfigs": "list StreamConfig",
   "validationConfig": "ValidationConfig",
   "version": "immutable required enum VERSION_UNSPECIFIED DSTU2 STU3 R4 R5"
  },
  "FhirStoreMetric": {
   "count": "int64",
   "resourceType": "string",
   "structuredStorageSizeBytes": "int64",
   "versionedStorageSizeBytes": "int64"
  },
  "FhirStoreMetrics": {
   "metrics": "list FhirStoreMetric",
   "name": "string"
  },
  "FieldMetadata": {
   "action": "enum ACTION_UNSPECIFIED TRANSFORM INSPECT_AND_TRANSFORM DO_NOT_TRANSFORM",
   "paths": "list string"
  },
  "GoogleCloudHealthcareV1FhirBigQueryDestination": {
   "datasetUri": "string",
   "force": "bool",
   "schemaConfig": "SchemaConfig",
   "writeDisposition": "enum WRITE_DISPOSITION_UNSPECIFIED WRITE_EMPTY WRITE_TRUNCATE WRITE_APPEND"
  },
  "ImageConfig": {
   "customRegexes": "list CustomRegex",
   "textRedactionMode": "enum TEXT_REDACTION_MODE_UNSPECIFIED REDACT_ALL_TEXT REDACT_SENSITIVE_TEXT REDACT_NO_TEXT"
  },
  "InfoTypeTransformation": {
   "characterMaskConfig": "CharacterMaskConfig",
   "cryptoHashConfig": "CryptoHashConfig",
   "dateShiftConfig": "DateShiftConfig",
   "infoTypes": "list string",
   "redactConfig": "RedactConfig",
   "replaceWithInfoTypeConfig": "ReplaceWithInfoTypeConfig"
  },
  "KmsWrappedCryptoKey": {
   "cryptoKey": "required string",
   "wrappedKey": "required bytes"
  },
  "ListDatasetsResponse": {
   "datasets": "list Dataset",
   "nextPageToken": "string"
  },
  "ListFhirStoresResponse": {
   "fhirStores": "list FhirStore",
   "nextPageToken": "string"
  },
  "ListLocationsResponse": {
   "locations": "list Location",
   "nextPageToken": "string"
  },
  "ListOperationsResponse": {
   "nextPageToken": "string",
   "operations": "list Operation",
   "unreachable": "list string"
  },
  "Location": {
   "displayName": "string",
   "labels": "map string",
   "locationId": "string",
   "metadata": "struct",
   "name": "string"
  },
  "NotificationConfig": {
   "pubsubTopic": "string",
   "sendForBulkImport": "bool"
  },
  "Operation": {
   "done": "bool",
   "error": "Status",
   "metadata": "struct",
   "name": "string",
   "response": "struct"
  },
  "OperationMetadata": {
   "apiMethodName": "string",
   "cancelRequested": "bool",
   "counter": "ProgressCounter",
   "createTime": "timestamp",
   "endTime": "timestamp",
   "logsUrl": "string"
  },
  "Policy": {
   "auditConfigs": "list AuditConfig",
   "bindings": "list Binding",
   "etag": "bytes",
   "version": "int32"
  },
  "ProgressCounter": {
   "failure": "int64",
   "pending": "int64",
   "secondaryFailure": "int64",
   "secondarySuccess": "int64",
   "success": "int64"
  },
  "RedactConfig": {},
  "ReplaceWithInfoTypeConfig": {},
  "SchemaConfig": {
   "lastUpdatedPartitionConfig": "TimePartitioning",
   "recursiveStructureDepth": "int64",
   "schemaType": "enum SCHEMA_TYPE_UNSPECIFIED ANALYTICS ANALYTICS_V2"
  },
  "SetIamPolicyRequest": {
   "policy": "required Policy",
   "updateMask": "string"
  },
  "Status": {
   "code": "int32",
   "details": "list struct",
   "message": "string"
  },
  "StreamConfig": {
   "bigqueryDestination": "GoogleCloudHealthcareV1FhirBigQueryDestination",
   "deidentifiedStoreDestination": "DeidentifiedStoreDestination",
   "resourceTypes": "list string"
  },
  "TagFilterList": {
   "tags": "list string"
  },
  "TestIamPermissionsRequest": {
   "permissions": "list string"
  },
  "TestIamPermissionsResponse": {
   "permissions": "list string"
  },
  "TextConfig": {
   "additionalTransformations": "list InfoTypeTransformation",
   "excludeInfoTypes": "list string",
   "transformations": "list InfoTypeTransformation"
  },
  "TimePartitioning": {
   "expirationMs": "int64",
   "type": "enum PARTITION_TYPE_UNSPECIFIED HOUR DAY MONTH YEAR"
  },
  "ValidationConfig": {
   "disableFhirpathValidation": "bool",
   "disableProfileValidation": "bool",
   "disableReferenceTypeValidation": "bool",
   "disableRequiredFieldValidation": "bool",
   "enableFhirpathProfileValidation": "bool",
   "enabledImplementationGuides": "list string"
  }
 }
};
