import { IAM, inModule, type ForeignKind } from "../foreign-kind";
import { OF_DATABASE_USER, OF_LOGIN, OF_MEMBERSHIP, OF_WORKSPACE, OF_WORKSPACE_ROLE } from "../members";

/** Who can have access: accounts, groups, pools, users, and the keys with which they prove who they are. */
export const IDENTITIES: readonly ForeignKind[] = [
  {
    what: "a membership of a group",
    source: "https://cloud.google.com/identity/docs/reference/rest/v1/groups.memberships",
    types: ["gcp:cloudidentity/GroupMembership", "google-native:cloudidentity/Membership"],
    members: OF_MEMBERSHIP,
  },
  {
    what: "a group",
    source: "https://cloud.google.com/identity/docs/reference/rest/v1/groups",
    types: ["gcp:cloudidentity/Group", "gcp:cloudidentity/Policy", "google-native:cloudidentity/Group"],
  },
  {
    what: "single sign-on for an organization",
    source: "https://cloud.google.com/identity/docs/reference/rest/v1/inboundSsoAssignments",
    types: inModule("google-native:cloudidentity", "InboundSamlSsoProfile InboundSsoAssignment"),
  },
  {
    what: "a service account",
    source: `${IAM}/service-accounts-delete-undelete`,
    types: ["gcp:serviceaccount/Account", "google-native:iam/ServiceAccount"],
    inputs: ["accountId", "disabled"],
    isOfNobody: true,
    isIdentity: true,
  },
  {
    what: "the default service accounts of a project",
    source: `${IAM}/service-account-types#default`,
    types: ["gcp:projects/DefaultServiceAccounts"],
  },
  {
    what: "a key",
    source: `${IAM}/keys-create-delete`,
    types: [
      ...["gcp:serviceaccount/Key", "google-native:iam/Key"],
      ...["gcp:storage/HmacKey", "google-native:storage/HmacKey"],
      ...["gcp:projects/ApiKey", "google-native:apikeys/Key"],
    ],
  },
  {
    what: "an identity pool",
    source: `${IAM}/workload-identity-federation`,
    types: [
      ...inModule("gcp:iam", "WorkloadIdentityPool WorkforcePool"),
      ...inModule("google-native:iam", "WorkloadIdentityPool WorkforcePool"),
    ],
    inputs: [
      "disabled",
      "workloadIdentityPoolId",
      "workforcePoolId",
      "accessRestrictions",
      "mode",
      "inlineTrustConfig",
    ],
    isOfNobody: true,
    isIdentity: true,
  },
  {
    what: "the credentials of a user of a database",
    source: "https://cloud.google.com/firestore/mongodb-compatibility/docs/connect",
    types: ["gcp:firestore/UserCreds"],
  },
  {
    what: "a provider or a client of an identity pool",
    source: `${IAM}/workload-identity-federation`,
    types: [
      ...inModule("gcp:iam", "WorkloadIdentityPoolProvider WorkloadIdentityPoolNamespace"),
      ...inModule("gcp:iam", "WorkloadIdentityPoolManagedIdentity WorkloadIdentityServiceAgent"),
      ...inModule("gcp:iam", "OauthClient OauthClientCredential WorkforcePoolProvider"),
      ...inModule("gcp:iam", "WorkforcePoolProviderKey WorkforcePoolProviderScimTenant WorkforcePoolProviderScimToken"),
      ...inModule("google-native:iam", "WorkloadIdentityPoolKey Provider"),
      ...inModule("google-native:iam", "WorkforcePoolKey WorkforcePoolProvider"),
    ],
  },
  {
    what: "a user of a database",
    source: "https://cloud.google.com/sql/docs/postgres/iam-authentication",
    types: [...["gcp:sql/User", "gcp:alloydb/User"], ...["google-native:sqladmin/User", "google-native:alloydb/User"]],
    ofType: /IAM/,
    members: OF_DATABASE_USER,
  },
  {
    what: "a key that signs URLs",
    source: "https://cloud.google.com/cdn/docs/using-signed-urls",
    types: [
      ...inModule("gcp:compute", "BackendBucketSignedUrlKey BackendServiceSignedUrlKey"),
      "gcp:networkservices/EdgeCacheKeyset",
    ],
  },
  {
    what: "an SSH key",
    source: "https://cloud.google.com/compute/docs/connect/add-ssh-keys",
    types: ["gcp:oslogin/SshPublicKey", "google-native:oslogin/SshPublicKey"],
    members: OF_LOGIN,
  },
  {
    what: "a service agent",
    source: `${IAM}/service-agents`,
    types: ["gcp:projects/ServiceIdentity", "gcp:folder/ServiceIdentity", "gcp:organizations/ServiceIdentity"],
  },
  {
    what: "a membership of a group of Google Workspace",
    source: "https://developers.google.com/admin-sdk/directory/reference/rest/v1/members",
    types: inModule("googleworkspace:index", "GroupMember GroupMembers"),
    members: OF_WORKSPACE,
  },
  {
    what: "a setting or a role of Google Workspace",
    source: "https://developers.google.com/admin-sdk/directory/v1/guides/manage-roles",
    types: inModule("googleworkspace:index", "GroupSettings Role DomainAlias"),
  },
  {
    what: "a role of an administrator of Google Workspace",
    source: "https://developers.google.com/admin-sdk/directory/reference/rest/v1/roleAssignments",
    types: ["googleworkspace:index/RoleAssignment"],
    members: OF_WORKSPACE_ROLE,
  },
];
