// Written by `make generate` from tests/wire/discovery/networksecurity.v1beta1.json: do not edit.
import type { ApiDescription } from "../api";

export const networksecurityV1beta1: ApiDescription = {
 "service": "networksecurity",
 "version": "v1beta1",
 "methods": {
  "organizations.locations.firewallEndpoints.create": {
   "verb": "POST",
   "path": "organizations/{organization}/locations/{location}/firewallEndpoints",
   "query": {
    "firewallEndpointId": "string",
    "requestId": "string",
    "validateOnly": "bool"
   },
   "request": "FirewallEndpoint",
   "response": "Operation"
  },
  "organizations.locations.firewallEndpoints.delete": {
   "verb": "DELETE",
   "path": "organizations/{organization}/locations/{location}/firewallEndpoints/{firewallEndpoint}",
   "query": {
    "requestId": "string"
   },
   "response": "Operation"
  },
  "organizations.locations.firewallEndpoints.get": {
   "verb": "GET",
   "path": "organizations/{organization}/locations/{location}/firewallEndpoints/{firewallEndpoint}",
   "response": "FirewallEndpoint"
  },
  "organizations.locations.firewallEndpoints.list": {
   "verb": "GET",
   "path": "organizations/{organization}/locations/{location}/firewallEndpoints",
   "query": {
    "filter": "string",
    "orderBy": "string",
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListFirewallEndpointsResponse"
  },
  "organizations.locations.firewallEndpoints.patch": {
   "verb": "PATCH",
   "path": "organizations/{organization}/locations/{location}/firewallEndpoints/{firewallEndpoint}",
   "query": {
    "requestId": "string",
    "updateMask": "string"
   },
   "request": "FirewallEndpoint",
   "response": "Operation"
  },
  "organizations.locations.get": {
   "verb": "GET",
   "path": "organizations/{organization}/locations/{location}",
   "response": "Location"
  },
  "organizations.locations.list": {
   "verb": "GET",
   "path": "organizations/{organization}/locations",
   "query": {
    "extraLocationTypes": "strings",
    "filter": "string",
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListLocationsResponse"
  },
  "organizations.locations.operations.cancel": {
   "verb": "POST",
   "path": "organizations/{organization}/locations/{location}/operations/{operation}",
   "action": "cancel",
   "request": "CancelOperationRequest",
   "response": "Empty"
  },
  "organizations.locations.operations.delete": {
   "verb": "DELETE",
   "path": "organizations/{organization}/locations/{location}/operations/{operation}",
   "response": "Empty"
  },
  "organizations.locations.operations.get": {
   "verb": "GET",
   "path": "organizations/{organization}/locations/{location}/operations/{operation}",
   "response": "Operation"
  },
  "organizations.locations.operations.list": {
   "verb": "GET",
   "path": "organizations/{organization}/locations/{location}/operations",
   "query": {
    "filter": "string",
    "pageSize": "int32",
    "pageToken": "string",
    "returnPartialSuccess": "bool"
   },
   "response": "ListOperationsResponse"
  },
  "projects.locations.firewallEndpointAssociations.create": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/firewallEndpointAssociations",
   "query": {
    "firewallEndpointAssociationId": "string",
    "requestId": "string"
   },
   "request": "FirewallEndpointAssociation",
   "response": "Operation"
  },
  "projects.locations.firewallEndpointAssociations.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/firewallEndpointAssociations/{firewallEndpointAssociation}",
   "query": {
    "requestId": "string"
   },
   "response": "Operation"
  },
  "projects.locations.firewallEndpointAssociations.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/firewallEndpointAssociations/{firewallEndpointAssociation}",
   "response": "FirewallEndpointAssociation"
  },
  "projects.locations.firewallEndpointAssociations.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/firewallEndpointAssociations",
   "query": {
    "filter": "string",
    "orderBy": "string",
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListFirewallEndpointAssociationsResponse"
  },
  "projects.locations.firewallEndpointAssociations.patch": {
   "verb": "PATCH",
   "path": "projects/{project}/locations/{location}/firewallEndpointAssociations/{firewallEndpointAssociation}",
   "query": {
    "requestId": "string",
    "updateMask": "string"
   },
   "request": "FirewallEndpointAssociation",
   "response": "Operation"
  },
  "projects.locations.firewallEndpoints.create": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/firewallEndpoints",
   "query": {
    "firewallEndpointId": "string",
    "requestId": "string",
    "validateOnly": "bool"
   },
   "request": "FirewallEndpoint",
   "response": "Operation"
  },
  "projects.locations.firewallEndpoints.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/firewallEndpoints/{firewallEndpoint}",
   "query": {
    "requestId": "string"
   },
   "response": "Operation"
  },
  "projects.locations.firewallEndpoints.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/firewallEndpoints/{firewallEndpoint}",
   "response": "FirewallEndpoint"
  },
  "projects.locations.firewallEndpoints.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/firewallEndpoints",
   "query": {
    "filter": "string",
    "orderBy": "string",
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListFirewallEndpointsResponse"
  },
  "projects.locations.firewallEndpoints.patch": {
   "verb": "PATCH",
   "path": "projects/{project}/locations/{location}/firewallEndpoints/{firewallEndpoint}",
   "query": {
    "requestId": "string",
    "updateMask": "string"
   },
   "request": "FirewallEndpoint",
   "response": "Operation"
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
  },
  "projects.locations.operations.cancel": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/operations/{operation}",
   "action": "cancel",
   "request": "CancelOperationRequest",
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
   "response": "Operation"
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
   "response": "ListOperationsResponse"
  }
 },
 "messages": {
  "CancelOperationRequest": {},
  "Empty": {},
  "FirewallEndpoint": {
   "associatedNetworks": "output list string",
   "associations": "output list FirewallEndpointAssociationReference",
   "billingProjectId": "string",
   "createTime": "output timestamp",
   "description": "string",
   "endpointSettings": "FirewallEndpointEndpointSettings",
   "explicitPrivateServiceConnectAttachment": "output string",
   "labels": "map string",
   "name": "immutable string",
   "reconciling": "output bool",
   "satisfiesPzi": "output bool",
   "satisfiesPzs": "output bool",
   "state": "output enum STATE_UNSPECIFIED CREATING ACTIVE DELETING INACTIVE",
   "updateTime": "output timestamp",
   "wildfireSettings": "FirewallEndpointWildfireSettings"
  },
  "FirewallEndpointAssociation": {
   "createTime": "output timestamp",
   "disabled": "bool",
   "firewallEndpoint": "required string",
   "labels": "map string",
   "name": "immutable string",
   "network": "required string",
   "reconciling": "output bool",
   "state": "output enum STATE_UNSPECIFIED CREATING ACTIVE DELETING INACTIVE ORPHAN",
   "tlsInspectionPolicy": "string",
   "updateTime": "output timestamp"
  },
  "FirewallEndpointAssociationReference": {
   "name": "output string",
   "network": "output string"
  },
  "FirewallEndpointEndpointSettings": {
   "contentCloudRegion": "enum CONTENT_CLOUD_REGION_UNSPECIFIED US_CENTRAL APAC INDIA UK FRANCE JAPAN AUSTRALIA CANADA SWITZERLAND NETHERLANDS INDONESIA QATAR TAIWAN POLAND SOUTH_KOREA SAUDI_ARABIA ITALY",
   "httpPartialResponseBlocked": "bool",
   "jumboFramesEnabled": "immutable bool"
  },
  "FirewallEndpointWildfireSettings": {
   "enabled": "bool",
   "wildfireInlineCloudAnalysisSettings": "FirewallEndpointWildfireSettingsWildfireInlineCloudAnalysisSettings",
   "wildfireRealtimeLookupDuration": "duration",
   "wildfireRealtimeLookupTimeoutAction": "enum WILDFIRE_REALTIME_SIGNATURE_LOOKUP_TIMEOUT_ACTION_UNSPECIFIED ALLOW DENY",
   "wildfireRegion": "enum WILDFIRE_REGION_UNSPECIFIED CANADA UNITED_STATES JAPAN SINGAPORE UNITED_KINGDOM AUSTRALIA GERMANY INDIA SWITZERLAND POLAND INDONESIA TAIWAN FRANCE QATAR SOUTH_KOREA ISRAEL SAUDI_ARABIA SPAIN"
  },
  "FirewallEndpointWildfireSettingsWildfireInlineCloudAnalysisSettings": {
   "maxAnalysisDuration": "duration",
   "submissionTimeoutLoggingDisabled": "bool",
   "timeoutAction": "enum WILDFIRE_INLINE_CLOUD_ANALYSIS_TIMEOUT_ACTION_UNSPECIFIED ALLOW DENY"
  },
  "ListFirewallEndpointAssociationsResponse": {
   "firewallEndpointAssociations": "list FirewallEndpointAssociation",
   "nextPageToken": "string",
   "unreachable": "list string"
  },
  "ListFirewallEndpointsResponse": {
   "firewallEndpoints": "list FirewallEndpoint",
   "nextPageToken": "string",
   "unreachable": "list string"
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
  "Operation": {
   "done": "bool",
   "error": "Status",
   "metadata": "struct",
   "name": "string",
   "response": "struct"
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
  "Status": {
   "code": "int32",
   "details": "list struct",
   "message": "string"
  }
 }
};
