// Written by `make generate` from tests/wire/discovery/apigateway.v1.json: do not edit.
import type { ApiDescription } from "../api";

export const apigatewayV1: ApiDescription = {
 "service": "apigateway",
 "version": "v1",
 "methods": {
  "projects.locations.apis.configs.create": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/apis/{api}/configs",
   "query": {
    "apiConfigId": "string"
   },
   "request": "ApigatewayApiConfig",
   "response": "ApigatewayOperation"
  },
  "projects.locations.apis.configs.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/apis/{api}/configs/{config}",
   "response": "ApigatewayOperation"
  },
  "projects.locations.apis.configs.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/apis/{api}/configs/{config}",
   "query": {
    "view": "string"
   },
   "response": "ApigatewayApiConfig"
  },
  "projects.locations.apis.configs.getIamPolicy": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/apis/{api}/configs/{config}",
   "action": "getIamPolicy",
   "query": {
    "options.requestedPolicyVersion": "int32"
   },
   "response": "ApigatewayPolicy"
  },
  "projects.locations.apis.configs.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/apis/{api}/configs",
   "query": {
    "filter": "string",
    "orderBy": "string",
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ApigatewayListApiConfigsResponse"
  },
  "projects.locations.apis.configs.patch": {
   "verb": "PATCH",
   "path": "projects/{project}/locations/{location}/apis/{api}/configs/{config}",
   "query": {
    "updateMask": "string"
   },
   "request": "ApigatewayApiConfig",
   "response": "ApigatewayOperation"
  },
  "projects.locations.apis.configs.setIamPolicy": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/apis/{api}/configs/{config}",
   "action": "setIamPolicy",
   "request": "ApigatewaySetIamPolicyRequest",
   "response": "ApigatewayPolicy"
  },
  "projects.locations.apis.configs.testIamPermissions": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/apis/{api}/configs/{config}",
   "action": "testIamPermissions",
   "request": "ApigatewayTestIamPermissionsRequest",
   "response": "ApigatewayTestIamPermissionsResponse"
  },
  "projects.locations.apis.create": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/apis",
   "query": {
    "apiId": "string"
   },
   "request": "ApigatewayApi",
   "response": "ApigatewayOperation"
  },
  "projects.locations.apis.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/apis/{api}",
   "response": "ApigatewayOperation"
  },
  "projects.locations.apis.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/apis/{api}",
   "response": "ApigatewayApi"
  },
  "projects.locations.apis.getIamPolicy": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/apis/{api}",
   "action": "getIamPolicy",
   "query": {
    "options.requestedPolicyVersion": "int32"
   },
   "response": "ApigatewayPolicy"
  },
  "projects.locations.apis.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/apis",
   "query": {
    "filter": "string",
    "orderBy": "string",
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ApigatewayListApisResponse"
  },
  "projects.locations.apis.patch": {
   "verb": "PATCH",
   "path": "projects/{project}/locations/{location}/apis/{api}",
   "query": {
    "updateMask": "string"
   },
   "request": "ApigatewayApi",
   "response": "ApigatewayOperation"
  },
  "projects.locations.apis.setIamPolicy": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/apis/{api}",
   "action": "setIamPolicy",
   "request": "ApigatewaySetIamPolicyRequest",
   "response": "ApigatewayPolicy"
  },
  "projects.locations.apis.testIamPermissions": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/apis/{api}",
   "action": "testIamPermissions",
   "request": "ApigatewayTestIamPermissionsRequest",
   "response": "ApigatewayTestIamPermissionsResponse"
  },
  "projects.locations.gateways.create": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/gateways",
   "query": {
    "gatewayId": "string"
   },
   "request": "ApigatewayGateway",
   "response": "ApigatewayOperation"
  },
  "projects.locations.gateways.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/gateways/{gateway}",
   "response": "ApigatewayOperation"
  },
  "projects.locations.gateways.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/gateways/{gateway}",
   "response": "ApigatewayGateway"
  },
  "projects.locations.gateways.getIamPolicy": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/gateways/{gateway}",
   "action": "getIamPolicy",
   "query": {
    "options.requestedPolicyVersion": "int32"
   },
   "response": "ApigatewayPolicy"
  },
  "projects.locations.gateways.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/gateways",
   "query": {
    "filter": "string",
    "orderBy": "string",
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ApigatewayListGatewaysResponse"
  },
  "projects.locations.gateways.patch": {
   "verb": "PATCH",
   "path": "projects/{project}/locations/{location}/gateways/{gateway}",
   "query": {
    "updateMask": "string"
   },
   "request": "ApigatewayGateway",
   "response": "ApigatewayOperation"
  },
  "projects.locations.gateways.setIamPolicy": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/gateways/{gateway}",
   "action": "setIamPolicy",
   "request": "ApigatewaySetIamPolicyRequest",
   "response": "ApigatewayPolicy"
  },
  "projects.locations.gateways.testIamPermissions": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/gateways/{gateway}",
   "action": "testIamPermissions",
   "request": "ApigatewayTestIamPermissionsRequest",
   "response": "ApigatewayTestIamPermissionsResponse"
  },
  "projects.locations.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}",
   "response": "ApigatewayLocation"
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
   "response": "ApigatewayListLocationsResponse"
  },
  "projects.locations.operations.cancel": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/operations/{operation}",
   "action": "cancel",
   "request": "ApigatewayCancelOperationRequest",
   "response": "Empty"
  },
  "projects.locations.operations.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/operations/{operation}",
   "response": "Empty"
  },
  "projects.locations.operations.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/operations/{operation}",
   "response": "ApigatewayOperation"
  },
  "projects.locations.operations.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/operations",
   "query": {
    "filter": "string",
    "pageSize": "int32",
    "pageToken": "string",
    "returnPartialSuccess": "bool"
   },
   "response": "ApigatewayListOperationsResponse"
  }
 },
 "messages": {
  "ApigatewayApi": {
   "createTime": "output timestamp",
   "displayName": "string",
   "labels": "map string",
   "managedService": "immutable string",
   "name": "immutable string",
   "state": "output enum STATE_UNSPECIFIED CREATING ACTIVE FAILED DELETING UPDATING",
   "updateTime": "output timestamp"
  },
  "ApigatewayApiConfig": {
   "createTime": "output timestamp",
   "displayName": "string",
   "gatewayServiceAccount": "immutable string",
   "grpcServices": "list ApigatewayApiConfigGrpcServiceDefinition",
   "labels": "map string",
   "managedServiceConfigs": "list ApigatewayApiConfigFile",
   "name": "immutable string",
   "openapiDocuments": "list ApigatewayApiConfigOpenApiDocument",
   "serviceConfigId": "output string",
   "state": "output enum STATE_UNSPECIFIED CREATING ACTIVE FAILED DELETING UPDATING ACTIVATING",
   "updateTime": "output timestamp"
  },
  "ApigatewayApiConfigFile": {
   "contents": "bytes",
   "path": "string"
  },
  "ApigatewayApiConfigGrpcServiceDefinition": {
   "fileDescriptorSet": "input ApigatewayApiConfigFile",
   "source": "list ApigatewayApiConfigFile"
  },
  "ApigatewayApiConfigOpenApiDocument": {
   "document": "ApigatewayApiConfigFile"
  },
  "ApigatewayAuditConfig": {
   "auditLogConfigs": "list ApigatewayAuditLogConfig",
   "service": "string"
  },
  "ApigatewayAuditLogConfig": {
   "exemptedMembers": "list string",
   "logType": "enum LOG_TYPE_UNSPECIFIED ADMIN_READ DATA_WRITE DATA_READ"
  },
  "ApigatewayBinding": {
   "condition": "ApigatewayExpr",
   "members": "list string",
   "role": "string"
  },
  "ApigatewayCancelOperationRequest": {},
  "ApigatewayExpr": {
   "description": "string",
   "expression": "string",
   "location": "string",
   "title": "string"
  },
  "ApigatewayGateway": {
   "apiConfig": "required string",
   "createTime": "output timestamp",
   "defaultHostname": "output string",
   "displayName": "string",
   "effectiveStreamingMode": "output enum EFFECTIVE_STREAMING_MODE_UNSPECIFIED EFFECTIVE_STREAMING_MODE_DISABLED EFFECTIVE_STREAMING_MODE_ENABLED",
   "labels": "map string",
   "name": "immutable string",
   "state": "output enum STATE_UNSPECIFIED CREATING ACTIVE FAILED DELETING UPDATING",
   "streamingMode": "immutable enum STREAMING_MODE_UNSPECIFIED STREAMING_MODE_ENABLED",
   "updateTime": "output timestamp"
  },
  "ApigatewayListApiConfigsResponse": {
   "apiConfigs": "list ApigatewayApiConfig",
   "nextPageToken": "string",
   "unreachableLocations": "list string"
  },
  "ApigatewayListApisResponse": {
   "apis": "list ApigatewayApi",
   "nextPageToken": "string",
   "unreachableLocations": "list string"
  },
  "ApigatewayListGatewaysResponse": {
   "gateways": "list ApigatewayGateway",
   "nextPageToken": "string",
   "unreachableLocations": "list string"
  },
  "ApigatewayListLocationsResponse": {
   "locations": "list ApigatewayLocation",
   "nextPageToken": "string"
  },
  "ApigatewayListOperationsResponse": {
   "nextPageToken": "string",
   "operations": "list ApigatewayOperation",
   "unreachable": "list string"
  },
  "ApigatewayLocation": {
   "displayName": "string",
   "labels": "map string",
   "locationId": "string",
   "metadata": "struct",
   "name": "string"
  },
  "ApigatewayOperation": {
   "done": "bool",
   "error": "ApigatewayStatus",
   "metadata": "struct",
   "name": "string",
   "response": "struct"
  },
  "ApigatewayOperationMetadata": {
   "apiVersion": "output string",
   "createTime": "output timestamp",
   "diagnostics": "output list ApigatewayOperationMetadataDiagnostic",
   "endTime": "output timestamp",
   "requestedCancellation": "output bool",
   "statusMessage": "output string",
   "target": "output string",
   "verb": "output string"
  },
  "ApigatewayOperationMetadataDiagnostic": {
   "location": "string",
   "message": "string"
  },
  "ApigatewayPolicy": {
   "auditConfigs": "list ApigatewayAuditConfig",
   "bindings": "list ApigatewayBinding",
   "etag": "bytes",
   "version": "int32"
  },
  "ApigatewaySetIamPolicyRequest": {
   "policy": "required ApigatewayPolicy",
   "updateMask": "string"
  },
  "ApigatewayStatus": {
   "code": "int32",
   "details": "list struct",
   "message": "string"
  },
  "ApigatewayTestIamPermissionsRequest": {
   "permissions": "list string"
  },
  "ApigatewayTestIamPermissionsResponse": {
   "permissions": "list string"
  },
  "Empty": {}
 }
};
