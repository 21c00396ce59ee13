// Written by `make generate` from tests/wire/discovery/gkehub.v1alpha.json: do not edit.
import type { ApiDescription } from "../description";

export const gkehubV1alpha: ApiDescription = {
 "service": "gkehub",
 "version": "v1alpha",
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
  },
  "projects.locations.scopes.create": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/scopes",
   "query": {
    "scopeId": "string"
   },
   "request": "Scope",
   "response": "Operation"
  },
  "projects.locations.scopes.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/scopes/{scope}",
   "response": "Operation"
  },
  "projects.locations.scopes.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/scopes/{scope}",
   "response": "Scope"
  },
  "projects.locations.scopes.getIamPolicy": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/scopes/{scope}",
   "action": "getIamPolicy",
   "query": {
    "options.requestedPolicyVersion": "int32"
   },
   "response": "Policy"
  },
  "projects.locations.scopes.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/scopes",
   "query": {
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListScopesResponse"
  },
  "projects.locations.scopes.listPermitted": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/scopes",
   "action": "listPermitted",
   "query": {
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListPermittedScopesResponse"
  },
  "projects.locations.scopes.namespaces.create": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/scopes/{scope}/namespaces",
   "query": {
    "scopeNamespaceId": "string"
   },
   "request": "Namespace",
   "response": "Operation"
  },
  "projects.locations.scopes.namespaces.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/scopes/{scope}/namespaces/{namespace}",
   "response": "Operation"
  },
  "projects.locations.scopes.namespaces.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/scopes/{scope}/namespaces/{namespace}",
   "response": "Namespace"
  },
  "projects.locations.scopes.namespaces.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/scopes/{scope}/namespaces",
   "query": {
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListScopeNamespacesResponse"
  },
  "projects.locations.scopes.namespaces.patch": {
   "verb": "PATCH",
   "path": "projects/{project}/locations/{location}/scopes/{scope}/namespaces/{namespace}",
   "query": {
    "updateMask": "string"
   },
   "request": "Namespace",
   "response": "Operation"
  },
  "projects.locations.scopes.patch": {
   "verb": "PATCH",
   "path": "projects/{project}/locations/{location}/scopes/{scope}",
   "query": {
    "updateMask": "string"
   },
   "request": "Scope",
   "response": "Operation"
  },
  "projects.locations.scopes.rbacrolebindings.create": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/scopes/{scope}/rbacrolebindings",
   "query": {
    "rbacrolebindingId": "string"
   },
   "request": "RBACRoleBinding",
   "response": "Operation"
  },
  "projects.locations.scopes.rbacrolebindings.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/scopes/{scope}/rbacrolebindings/{rbacrolebinding}",
   "response": "Operation"
  },
  "projects.locations.scopes.rbacrolebindings.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/scopes/{scope}/rbacrolebindings/{rbacrolebinding}",
   "response": "RBACRoleBinding"
  },
  "projects.locations.scopes.rbacrolebindings.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/scopes/{scope}/rbacrolebindings",
   "query": {
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListScopeRBACRoleBindingsResponse"
  },
  "projects.locations.scopes.rbacrolebindings.patch": {
   "verb": "PATCH",
   "path": "projects/{project}/locations/{location}/scopes/{scope}/rbacrolebindings/{rbacrolebinding}",
   "query": {
    "updateMask": "string"
   },
   "request": "RBACRoleBinding",
   "response": "Operation"
  },
  "projects.locations.scopes.setIamPolicy": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/scopes/{scope}",
   "action": "setIamPolicy",
   "request": "SetIamPolicyRequest",
   "response": "Policy"
  },
  "projects.locations.scopes.testIamPermissions": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/scopes/{scope}",
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
  "CancelOperationRequest": {},
  "Empty": {},
  "Expr": {
   "description": "string",
   "expression": "string",
   "location": "string",
   "title": "string"
  },
  "GoogleRpcStatus": {
   "code": "int32",
   "details": "list struct",
   "message": "string"
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
  "ListPermittedScopesResponse": {
   "nextPageToken": "string",
   "scopes": "list Scope"
  },
  "ListScopeNamespacesResponse": {
   "nextPageToken": "string",
   "scopeNamespaces": "list Namespace"
  },
  "ListScopeRBACRoleBindingsResponse": {
   "nextPageToken": "string",
   "rbacrolebindings": "list RBACRoleBinding"
  },
  "ListScopesResponse": {
   "nextPageToken": "string",
   "scopes": "list Scope"
  },
  "Location": {
   "displayName": "string",
   "labels": "map string",
   "locationId": "string",
   "metadata": "struct",
   "name": "string"
  },
  "Namespace": {
   "createTime": "output timestamp",
   "deleteTime": "output timestamp",
   "labels": "map string",
   "name": "string",
   "namespaceLabels": "map string",
   "scope": "required string",
   "state": "output NamespaceLifecycleState",
   "uid": "output string",
   "updateTime": "output timestamp"
  },
  "NamespaceLifecycleState": {
   "code": "output enum CODE_UNSPECIFIED CREATING READY DELETING UPDATING"
  },
  "Operation": {
   "done": "bool",
   "error": "GoogleRpcStatus",
   "metadata": "struct",
   "name": "string",
   "response": "struct"
  },
  "OperationMetadata": {
   "apiVersion": "output string",
   "cancelRequested": "output bool",
   "createTime": "output timestamp",
   "endTime": "output timestamp",
   "statusDetail": "output string",
   "target": "output string",
   "verb": "output string"
  },
  "Policy": {
   "auditConfigs": "list AuditConfig",
   "bindings": "list Binding",
   "etag": "bytes",
   "version": "int32"
  },
  "RBACRoleBinding": {
   "createTime": "output timestamp",
   "deleteTime": "output timestamp",
   "group": "string",
   "labels": "map string",
   "name": "string",
   "role": "required Role",
   "state": "output RBACRoleBindingLifecycleState",
   "uid": "output string",
   "updateTime": "output timestamp",
   "user": "string"
  },
  "RBACRoleBindingLifecycleState": {
   "code": "output enum CODE_UNSPECIFIED CREATING READY DELETING UPDATING"
  },
  "Role": {
   "customRole": "string",
   "predefinedRole": "enum UNKNOWN ADMIN EDIT VIEW ANTHOS_SUPPORT"
  },
  "Scope": {
   "createTime": "output timestamp",
   "deleteTime": "output timestamp",
   "labels": "map string",
   "name": "string",
   "namespaceLabels": "map string",
   "state": "output ScopeLifecycleState",
   "uid": "output string",
   "updateTime": "output timestamp"
  },
  "ScopeLifecycleState": {
   "code": "output enum CODE_UNSPECIFIED CREATING READY DELETING UPDATING"
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
