// Written by `make generate` from tests/wire/discovery/eventarc.v1.json: do not edit.
import type { ApiDescription } from "../api";

export const eventarcV1: ApiDescription = {
 "service": "eventarc",
 "version": "v1",
 "methods": {
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
  },
  "projects.locations.operations.cancel": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/operations/{operation}",
   "action": "cancel",
   "request": "GoogleLongrunningCancelOperationRequest",
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
   "response": "GoogleLongrunningOperation"
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
   "response": "GoogleLongrunningListOperationsResponse"
  },
  "projects.locations.triggers.create": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/triggers",
   "query": {
    "triggerId": "string",
    "validateOnly": "bool"
   },
   "request": "Trigger",
   "response": "GoogleLongrunningOperation"
  },
  "projects.locations.triggers.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/triggers/{trigger}",
   "query": {
    "allowMissing": "bool",
    "etag": "string",
    "validateOnly": "bool"
   },
   "response": "GoogleLongrunningOperation"
  },
  "projects.locations.triggers.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/triggers/{trigger}",
   "response": "Trigger"
  },
  "projects.locations.triggers.getIamPolicy": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/triggers/{trigger}",
   "action": "getIamPolicy",
   "query": {
    "options.requestedPolicyVersion": "int32"
   },
   "response": "Policy"
  },
  "projects.locations.triggers.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/triggers",
   "query": {
    "filter": "string",
    "orderBy": "string",
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListTriggersResponse"
  },
  "projects.locations.triggers.patch": {
   "verb": "PATCH",
   "path": "projects/{project}/locations/{location}/triggers/{trigger}",
   "query": {
    "allowMissing": "bool",
    "updateMask": "string",
    "validateOnly": "bool"
   },
   "request": "Trigger",
   "response": "GoogleLongrunningOperation"
  },
  "projects.locations.triggers.setIamPolicy": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/triggers/{trigger}",
   "action": "setIamPolicy",
   "request": "SetIamPolicyRequest",
   "response": "Policy"
  },
  "projects.locations.triggers.testIamPermissions": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/triggers/{trigger}",
   "action": "testIamPermissions",
   "request": "TestIamPermissionsRequest",
   "response": "TestIamPermissionsResponse"
  }
 },
 "messages": {
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
  "CloudRun": {
   "path": "string",
   "region": "required string",
   "service": "required string"
  },
  "Destination": {
   "cloudFunction": "string",
   "cloudRun": "CloudRun",
   "gke": "GKE",
   "httpEndpoint": "HttpEndpoint",
   "networkConfig": "NetworkConfig",
   "workflow": "string"
  },
  "Empty": {},
  "EventFilter": {
   "attribute": "required string",
   "operator": "string",
   "value": "required string"
  },
  "Expr": {
   "description": "string",
   "expression": "string",
   "location": "string",
   "title": "string"
  },
  "GKE": {
   "cluster": "required string",
   "location": "required string",
   "namespace": "required string",
   "path": "string",
   "service": "required string"
  },
  "GoogleLongrunningCancelOperationRequest": {},
  "GoogleLongrunningListOperationsResponse": {
   "nextPageToken": "string",
   "operations": "list GoogleLongrunningOperation",
   "unreachable": "list string"
  },
  "GoogleLongrunningOperation": {
   "done": "bool",
   "error": "GoogleRpcStatus",
   "metadata": "struct",
   "name": "string",
   "response": "struct"
  },
  "GoogleRpcStatus": {
   "code": "int32",
   "details": "list struct",
   "message": "string"
  },
  "HttpEndpoint": {
   "uri": "required string"
  },
  "ListLocationsResponse": {
   "locations": "list Location",
   "nextPageToken": "string"
  },
  "ListTriggersResponse": {
   "nextPageToken": "string",
   "triggers": "list Trigger",
   "unreachable": "list string"
  },
  "Location": {
   "displayName": "string",
   "labels": "map string",
   "locationId": "string",
   "metadata": "struct",
   "name": "string"
  },
  "NetworkConfig": {
   "networkAttachment": "required string"
  },
  "OperationMetadata": {
   "apiVersion": "output string",
   "createTime": "output timestamp",
   "endTime": "output timestamp",
   "requestedCancellation": "output bool",
   "statusMessage": "output string",
   "target": "output string",
   "verb": "output string"
  },
  "Policy": {
   "auditConfigs": "list AuditConfig",
   "bindings": "list Binding",
   "etag": "bytes",
   "version": "int32"
  },
  "Pubsub": {
   "subscription": "output string",
   "topic": "string"
  },
  "RetryPolicy": {
   "maxAttempts": "int32"
  },
  "SetIamPolicyRequest": {
   "policy": "required Policy",
   "updateMask": "string"
  },
  "StateCondition": {
   "code": "enum OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED UNAUTHENTICATED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS",
   "message": "string"
  },
  "TestIamPermissionsRequest": {
   "permissions": "list string"
  },
  "TestIamPermissionsResponse": {
   "permissions": "list string"
  },
  "Transport": {
   "pubsub": "Pubsub"
  },
  "Trigger": {
   "channel": "string",
   "conditions": "output map StateCondition",
   "createTime": "output timestamp",
   "destination": "required Destination",
   "etag": "output string",
   "eventDataContentType": "string",
   "eventFilters": "list EventFilter",
   "labels": "map string",
   "name": "required string",
   "retryPolicy": "RetryPolicy",
   "satisfiesPzs": "output bool",
   "serviceAccount": "string",
   "transport": "Transport",
   "uid": "output string",
   "updateTime": "output timestamp"
  }
 }
};
