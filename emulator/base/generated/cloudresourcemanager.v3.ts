// Written by `make generate` from tests/wire/discovery/cloudresourcemanager.v3.json: do not edit.
import type { ApiDescription } from "../api";

export const cloudresourcemanagerV3: ApiDescription = {
 "service": "cloudresourcemanager",
 "version": "v3",
 "methods": {
  "folders.get": {
   "verb": "GET",
   "path": "folders/{folder}",
   "response": "Folder"
  },
  "folders.getIamPolicy": {
   "verb": "POST",
   "path": "folders/{folder}",
   "action": "getIamPolicy",
   "request": "GetIamPolicyRequest",
   "response": "Policy"
  },
  "folders.setIamPolicy": {
   "verb": "POST",
   "path": "folders/{folder}",
   "action": "setIamPolicy",
   "request": "SetIamPolicyRequest",
   "response": "Policy"
  },
  "folders.testIamPermissions": {
   "verb": "POST",
   "path": "folders/{folder}",
   "action": "testIamPermissions",
   "request": "TestIamPermissionsRequest",
   "response": "TestIamPermissionsResponse"
  },
  "organizations.get": {
   "verb": "GET",
   "path": "organizations/{organization}",
   "response": "Organization"
  },
  "organizations.getIamPolicy": {
   "verb": "POST",
   "path": "organizations/{organization}",
   "action": "getIamPolicy",
   "request": "GetIamPolicyRequest",
   "response": "Policy"
  },
  "organizations.setIamPolicy": {
   "verb": "POST",
   "path": "organizations/{organization}",
   "action": "setIamPolicy",
   "request": "SetIamPolicyRequest",
   "response": "Policy"
  },
  "organizations.testIamPermissions": {
   "verb": "POST",
   "path": "organizations/{organization}",
   "action": "testIamPermissions",
   "request": "TestIamPermissionsRequest",
   "response": "TestIamPermissionsResponse"
  },
  "projects.get": {
   "verb": "GET",
   "path": "projects/{project}",
   "response": "Project"
  },
  "projects.getIamPolicy": {
   "verb": "POST",
   "path": "projects/{project}",
   "action": "getIamPolicy",
   "request": "GetIamPolicyRequest",
   "response": "Policy"
  },
  "projects.setIamPolicy": {
   "verb": "POST",
   "path": "projects/{project}",
   "action": "setIamPolicy",
   "request": "SetIamPolicyRequest",
   "response": "Policy"
  },
  "projects.testIamPermissions": {
   "verb": "POST",
   "path": "projects/{project}",
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
  "Expr": {
   "description": "string",
   "expression": "string",
   "location": "string",
   "title": "string"
  },
  "Folder": {
   "configuredCapabilities": "output list string",
   "createTime": "output timestamp",
   "deleteTime": "output timestamp",
   "displayName": "string",
   "etag": "output string",
   "managementProject": "output string",
   "name": "immutable string",
   "parent": "required string",
   "state": "output enum STATE_UNSPECIFIED ACTIVE DELETE_REQUESTED",
   "tags": "immutable input map string",
   "updateTime": "output timestamp"
  },
  "GetIamPolicyRequest": {
   "options": "GetPolicyOptions"
  },
  "GetPolicyOptions": {
   "requestedPolicyVersion": "int32"
  },
  "Organization": {
   "createTime": "output timestamp",
   "deleteTime": "output timestamp",
   "directoryCustomerId": "immutable string",
   "displayName": "output string",
   "etag": "output string",
   "name": "output string",
   "state": "output enum STATE_UNSPECIFIED ACTIVE DELETE_REQUESTED",
   "updateTime": "output timestamp"
  },
  "Policy": {
   "auditConfigs": "list AuditConfig",
   "bindings": "list Binding",
   "etag": "bytes",
   "version": "int32"
  },
  "Project": {
   "configuredCapabilities": "output list string",
   "createTime": "output timestamp",
   "deleteTime": "output timestamp",
   "displayName": "string",
   "etag": "output string",
   "isManagementProject": "output bool",
   "labels": "map string",
   "managementType": "output enum MANAGEMENT_TYPE_UNSPECIFIED SELF_MANAGED HUB",
   "name": "output string",
   "parent": "string",
   "projectId": "immutable string",
   "state": "output enum STATE_UNSPECIFIED ACTIVE DELETE_REQUESTED",
   "tags": "immutable input map string",
   "updateTime": "output timestamp"
  },
  "SetIamPolicyRequest": {
   "policy": "required Policy",
   "updateMask": "string"
  },
  "TestIamPermissionsRequest": {
   "permissions": "list string"
  },
  "TestIamPermissionsResponse": {
   "permissions": "list string"
  }
 }
};
