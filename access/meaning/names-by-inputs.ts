import type { ResourceKind } from "./gcp-types";

/**
 * Types whose inputs name the resource that they decide about. The entry of an access list, for example, belongs to a bucket, and its own
 * id (`files-acl`) does not name the bucket. A variable of the template is an input, with or without `Id` at its end.
 */
export interface NamedByInputs extends ResourceKind {
  /** Short forms. */
  types: readonly string[];
}

const LOCATION = "projects/{project}/locations/{location}";
const ACCESS_POLICY = "accessPolicies/{accessPolicy}";

export const NAMED_BY_INPUTS: readonly NamedByInputs[] = [
  named("cloudresourcemanager", "projects/{project}", ["gcp:projects/IamMemberRemove"]),
  named("storage", "b/{bucket}", [
    ...["gcp:storage/BucketAccessControl", "gcp:storage/DefaultObjectAccessControl"],
    ...["google-native:storage/BucketAccessControl", "google-native:storage/DefaultObjectAccessControl"],
    ...["gcp:storage/BucketACL", "gcp:storage/DefaultObjectACL"],
  ]),
  named("storage", "b/{bucket}/o/{+object}", [
    ...["gcp:storage/ObjectAccessControl", "google-native:storage/ObjectAccessControl", "gcp:storage/ObjectACL"],
  ]),
  named("storage", "b/{bucket}/o/{+name}", ["gcp:storage/BucketObject", "google-native:storage/BucketObject"]),
  named("storage", "b/{name}", ["gcp:storage/Bucket", "google-native:storage/Bucket"]),
  named("bigquery", "projects/{project}/datasets/{dataset}", [
    ...["gcp:bigquery/DatasetAccess", "gcp:bigquery/Dataset", "google-native:bigquery/Dataset"],
  ]),
  named("bigquery", "projects/{project}/datasets/{dataset}/tables/{table}/rowAccessPolicies/{policy}", [
    ...["gcp:bigquery/RowAccessPolicy", "google-native:bigquery/RowAccessPolicy"],
  ]),
  named("cloudidentity", "groups/{group}", [
    ...["gcp:cloudidentity/GroupMembership", "google-native:cloudidentity/Membership"],
    ...["googleworkspace:index/GroupMember", "googleworkspace:index/GroupMembers"],
  ]),
  named("privilegedaccessmanager", "{+parent}/locations/{location}/entitlements/{entitlement}", [
    "gcp:privilegedaccessmanager/entitlement",
  ]),
  named("sqladmin", "projects/{project}/instances/{instance}", ["gcp:sql/User", "google-native:sqladmin/User"]),
  named("alloydb", `${LOCATION}/clusters/{cluster}`, ["gcp:alloydb/User", "google-native:alloydb/User"]),
  named("gkehub", `${LOCATION}/memberships/{membership}`, ["gcp:gkehub/MembershipRbacRoleBinding"]),
  named("gkehub", "projects/{project}/locations/global/scopes/{scope}", ["gcp:gkehub/ScopeRbacRoleBinding"]),
  named("gkemulticloud", `${LOCATION}/attachedClusters/{name}`, ["gcp:container/AttachedCluster"]),
  named("gkemulticloud", `${LOCATION}/awsClusters/{name}`, ["gcp:container/AwsCluster"]),
  named("gkemulticloud", `${LOCATION}/azureClusters/{name}`, ["gcp:container/AzureCluster"]),
  named("gkemulticloud", `${LOCATION}/attachedClusters/{attachedCluster}`, [
    "google-native:gkemulticloud/AttachedCluster",
  ]),
  named("gkemulticloud", `${LOCATION}/awsClusters/{awsCluster}`, ["google-native:gkemulticloud/AwsCluster"]),
  named("gkemulticloud", `${LOCATION}/azureClusters/{azureCluster}`, ["google-native:gkemulticloud/AzureCluster"]),
  named("gkeonprem", `${LOCATION}/vmwareClusters/{name}`, ["gcp:gkeonprem/VMwareCluster"]),
  named("gkeonprem", `${LOCATION}/bareMetalClusters/{name}`, ["gcp:gkeonprem/BareMetalCluster"]),
  named("gkeonprem", `${LOCATION}/bareMetalAdminClusters/{name}`, ["gcp:gkeonprem/BareMetalAdminCluster"]),
  named("edgecontainer", `${LOCATION}/clusters/{name}`, ["gcp:edgecontainer/Cluster"]),
  named("notebooks", `${LOCATION}/instances/{name}`, ["gcp:workbench/Instance", "gcp:notebooks/Instance"]),
  named("notebooks", `${LOCATION}/instances/{instance}`, ["google-native:notebooks/Instance"]),
  named("notebooks", `${LOCATION}/runtimes/{name}`, ["gcp:notebooks/Runtime"]),
  named("notebooks", `${LOCATION}/runtimes/{runtime}`, ["google-native:notebooks/Runtime"]),
  named("aiplatform", `${LOCATION}/notebookRuntimes/{name}`, ["gcp:colab/Runtime"]),
  named("bigquerydatapolicy", `${LOCATION}/dataPolicies/{dataPolicy}`, [
    ...["gcp:bigquery/Datapolicyv2DataPolicy", "gcp:bigquerydatapolicy/DataPolicy"],
    "google-native:bigquerydatapolicy/DataPolicy",
  ]),
  named("discoveryengine", `${LOCATION}/aclConfig`, [
    ...["gcp:discoveryengine/AclConfig", "google-native:discoveryengine/AclConfig"],
  ]),
  named("accesscontextmanager", `${ACCESS_POLICY}/accessLevels/{name}`, [
    ...["gcp:accesscontextmanager/AccessLevel", "google-native:accesscontextmanager/AccessLevel"],
  ]),
  named("accesscontextmanager", `${ACCESS_POLICY}/accessLevels/{accessLevel}`, [
    "gcp:accesscontextmanager/AccessLevelCondition",
  ]),
  named("accesscontextmanager", `${ACCESS_POLICY}/servicePerimeters/{name}`, [
    ...["gcp:accesscontextmanager/ServicePerimeter", "google-native:accesscontextmanager/ServicePerimeter"],
  ]),
  named("accesscontextmanager", `${ACCESS_POLICY}/servicePerimeters/{perimeter}`, [
    "gcp:accesscontextmanager/ServicePerimeterIngressPolicy",
    "gcp:accesscontextmanager/ServicePerimeterEgressPolicy",
  ]),
  named("accesscontextmanager", "accessPolicies/{parent}", [
    ...["gcp:accesscontextmanager/AccessLevels", "gcp:accesscontextmanager/ServicePerimeters"],
  ]),
  named("dataproc", "projects/{project}/regions/{region}/clusters/{name}", ["gcp:dataproc/Cluster"]),
  named("dataproc", "projects/{project}/regions/{region}/clusters/{clusterName}", ["google-native:dataproc/Cluster"]),
  named("admin", "roles/{role}", ["googleworkspace:index/RoleAssignment"]),
  named("managedkafka", `${LOCATION}/clusters/{cluster}`, ["gcp:managedkafka/Acl"]),
  named("redis", `${LOCATION}/aclPolicies/{aclPolicy}`, ["gcp:redis/ClusterAclPolicy"]),
  named("memorystore", `${LOCATION}/aclPolicies/{aclPolicy}`, ["gcp:memorystore/AclPolicy"]),
  named("apigee", "organizations/{name}", ["gcp:apigee/SyncAuthorization", "gcp:apigee/ControlPlaneAccess"]),
  named("dataplex", `${LOCATION}/dataProducts/{dataProduct}`, ["gcp:dataplex/DataProduct"]),
  named("dataplex", `${LOCATION}/dataProducts/{dataProduct}/dataAssets/{dataAsset}`, [
    ...["gcp:dataplex/DataAsset", "gcp:dataplex/DataProductDataAsset"],
  ]),
  named("oslogin", "users/{user}", ["gcp:oslogin/SshPublicKey", "google-native:oslogin/SshPublicKey"]),
];

function named(api: string, template: string, types: readonly string[]): NamedByInputs {
  return { api, template, types };
}
