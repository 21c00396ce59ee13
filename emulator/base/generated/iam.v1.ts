// Written by `make generate` from tests/wire/discovery/iam.v1.json: do not edit.
import type { ApiDescription } from "../api";

export const iamV1: ApiDescription = {
 "service": "iam",
 "version": "v1",
 "methods": {
  "organizations.roles.get": {
   "verb": "GET",
   "path": "organizations/{organization}/roles/{role}",
   "response": "Role"
  },
  "projects.roles.get": {
   "verb": "GET",
   "path": "projects/{project}/roles/{role}",
   "response": "Role"
  },
  "roles.get": {
   "verb": "GET",
   "path": "roles/{role}",
   "response": "Role"
  },
  "roles.queryGrantableRoles": {
   "verb": "POST",
   "path": "roles",
   "action": "queryGrantableRoles",
   "request": "QueryGrantableRolesRequest",
   "response": "QueryGrantableRolesResponse"
  }
 },
 "messages": {
  "OperationMetadata": {
   "apiVersion": "output string",
   "cancelRequested": "output bool",
   "createTime": "output timestamp",
   "endTime": "output timestamp",
   "statusDetail": "output string",
   "target": "output string",
   "verb": "output string"
  },
  "QueryGrantableRolesRequest": {
   "fullResourceName": "required string",
   "pageSize": "int32",
   "pageToken": "string",
   "view": "enum BASIC FULL"
  },
  "QueryGrantableRolesResponse": {
   "nextPageToken": "string",
   "roles": "list Role"
  },
  "Role": {
   "deleted": "bool",
   "description": "string",
   "etag": "bytes",
   "includedPermissions": "list string",
   "name": "string",
   "stage": "enum ALPHA BETA GA DEPRECATED DISABLED EAP",
   "title": "string"
  }
 }
};
