// Written by `make generate` from tests/wire/discovery/gkehub.v1alpha.json: do not edit.
import type { ApiDescription } from "../api";

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
  "projects.locations.memberships.bindings.create": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/memberships/{membership}/bindings",
   "query": {
    "membershipBindingId": "string"
   },
   "request": "MembershipBinding",
   "response": "Operation"
  },
  "projects.locations.memberships.bindings.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/memberships/{membership}/bindings/{binding}",
   "response": "Operation"
  },
  "projects.locations.memberships.bindings.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/memberships/{membership}/bindings/{binding}",
   "response": "MembershipBinding"
  },
  "projects.locations.memberships.bindings.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/memberships/{membership}/bindings",
   "query": {
    "filter": "string",
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListMembershipBindingsResponse"
  },
  "projects.locations.memberships.bindings.patch": {
   "verb": "PATCH",
   "path": "projects/{project}/locations/{location}/memberships/{membership}/bindings/{binding}",
   "query": {
    "updateMask": "string"
   },
   "request": "MembershipBinding",
   "response": "Operation"
  },
  "projects.locations.memberships.create": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/memberships",
   "query": {
    "membershipId": "string",
    "requestId": "string"
   },
   "request": "Membership",
   "response": "Operation"
  },
  "projects.locations.memberships.delete": {
   "verb": "DELETE",
   "path": "projects/{project}/locations/{location}/memberships/{membership}",
   "query": {
    "force": "bool",
    "requestId": "string"
   },
   "response": "Operation"
  },
  "projects.locations.memberships.get": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/memberships/{membership}",
   "response": "Membership"
  },
  "projects.locations.memberships.getIamPolicy": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/memberships/{membership}",
   "action": "getIamPolicy",
   "query": {
    "options.requestedPolicyVersion": "int32"
   },
   "response": "Policy"
  },
  "projects.locations.memberships.list": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/memberships",
   "query": {
    "filter": "string",
    "orderBy": "string",
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListMembershipsResponse"
  },
  "projects.locations.memberships.patch": {
   "verb": "PATCH",
   "path": "projects/{project}/locations/{location}/memberships/{membership}",
   "query": {
    "requestId": "string",
    "updateMask": "string"
   },
   "request": "Membership",
   "response": "Operation"
  },
  "projects.locations.memberships.setIamPolicy": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/memberships/{membership}",
   "action": "setIamPolicy",
   "request": "SetIamPolicyRequest",
   "response": "Policy"
  },
  "projects.locations.memberships.testIamPermissions": {
   "verb": "POST",
   "path": "projects/{project}/locations/{location}/memberships/{membership}",
   "action": "testIamPermissions",
   "request": "TestIamPermissionsRequest",
   "response": "TestIamPermissionsResponse"
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
  "projects.locations.scopes.listMemberships": {
   "verb": "GET",
   "path": "projects/{project}/locations/{location}/scopes/{scope}",
   "action": "listMemberships",
   "query": {
    "filter": "string",
    "pageSize": "int32",
    "pageToken": "string"
   },
   "response": "ListBoundMembershipsResponse"
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
  "ApplianceCluster": {
   "resourceLink": "immutable string"
  },
  "AuditConfig": {
   "auditLogConfigs": "list AuditLogConfig",
   "service": "string"
  },
  "AuditLogConfig": {
   "exemptedMembers": "list string",
   "logType": "enum LOG_TYPE_UNSPECIFIED ADMIN_READ DATA_WRITE DATA_READ"
  },
  "Authority": {
   "identityProvider": "output string",
   "issuer": "string",
   "oidcJwks": "bytes",
   "scopeTenancyIdentityProvider": "output string",
   "scopeTenancyWorkloadIdentityPool": "output string",
   "workloadIdentityPool": "output string"
  },
  "Binding": {
   "condition": "Expr",
   "members": "list string",
   "role": "string"
  },
  "CancelOperationRequest": {},
  "EdgeCluster": {
   "resourceLink": "immutable string"
  },
  "Empty": {},
  "Expr": {
   "description": "string",
   "expression": "string",
   "location": "string",
   "title": "string"
  },
  "GkeCluster": {
   "clusterMissing": "output bool",
   "resourceLink": "immutable string"
  },
  "GoogleRpcStatus": {
   "code": "int32",
   "details": "list struct",
   "message": "string"
  },
  "KubernetesMetadata": {
   "kubernetesApiServerVersion": "output string",
   "memoryMb": "output int32",
   "nodeCount": "output int32",
   "nodeProviderId": "output string",
   "updateTime": "output timestamp",
   "vcpuCount": "output int32"
  },
  "KubernetesResource": {
   "connectResources": "output list ResourceManifest",
   "membershipCrManifest": "input string",
   "membershipResources": "output list ResourceManifest",
   "resourceOptions": "ResourceOptions"
  },
  "ListBoundMembershipsResponse": {
   "memberships": "list Membership",
   "nextPageToken": "string",
   "unreachable": "list string"
  },
  "ListLocationsResponse": {
   "locations": "list Location",
   "nextPageToken": "string"
  },
  "ListMembershipBindingsResponse": {
   "membershipBindings": "list MembershipBinding",
   "nextPageToken": "string",
   "unreachable": "list string"
  },
  "ListMembershipsResponse": {
   "nextPageToken": "string",
   "resources": "list Membership",
   "unreachable": "list string"
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
  "Membership": {
   "authority": "Authority",
   "clusterTier": "output enum CLUSTER_TIER_UNSPECIFIED STANDARD ENTERPRISE",
   "createTime": "output timestamp",
   "deleteTime": "output timestamp",
   "description": "output string",
   "endpoint": "MembershipEndpoint",
   "externalId": "string",
   "labels": "map string",
   "lastConnectionTime": "output timestamp",
   "membershipType": "output enum MEMBERSHIP_TYPE_UNSPECIFIED LIGHTWEIGHT",
   "monitoringConfig": "MonitoringConfig",
   "name": "output string",
   "state": "output MembershipState",
   "uniqueId": "output string",
   "updateTime": "output timestamp"
  },
  "MembershipBinding": {
   "createTime": "output timestamp",
   "deleteTime": "output timestamp",
   "labels": "map string",
   "name": "string",
   "scope": "string",
   "state": "output MembershipBindingLifecycleState",
   "uid": "output string",
   "updateTime": "output timestamp"
  },
  "MembershipBindingLifecycleState": {
   "code": "output enum CODE_UNSPECIFIED CREATING READY DELETING UPDATING"
  },
  "MembershipEndpoint": {
   "applianceCluster": "ApplianceCluster",
   "edgeCluster": "EdgeCluster",
   "gkeCluster": "GkeCluster",
   "googleManaged": "output bool",
   "kubernetesMetadata": "output KubernetesMetadata",
   "kubernetesResource": "KubernetesResource",
   "multiCloudCluster": "MultiCloudCluster",
   "onPremCluster": "OnPremCluster"
  },
  "MembershipState": {
   "code": "output enum CODE_UNSPECIFIED CREATING READY DELETING UPDATING SERVICE_UPDATING"
  },
  "MonitoringConfig": {
   "cluster": "string",
   "clusterHash": "string",
   "kubernetesMetricsPrefix": "string",
   "location": "string",
   "projectId": "string"
  },
  "MultiCloudCluster": {
   "clusterMissing": "output bool",
   "resourceLink": "immutable string"
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
  "OnPremCluster": {
   "adminCluster": "immutable bool",
   "clusterMissing": "output bool",
   "clusterType": "immutable enum CLUSTERTYPE_UNSPECIFIED BOOTSTRAP HYBRID STANDALONE USER",
   "resourceLink": "immutable string"
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
  "ResourceManifest": {
   "clusterScoped": "output bool",
   "manifest": "output string"
  },
  "ResourceOptions": {
   "connectVersion": "string",
   "k8sGitVersion": "string",
   "k8sVersion": "string",
   "v1beta1Crd": "bool"
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
