import { isBridged } from "../result/packages";

/** The types of other providers that change who has access in Google Cloud: grants, and what moves access without being one. */

/** What a type of another provider is. */
export interface ForeignKind {
  /** With its article: "a custom role". */
  what: string;
  /** Where the documentation says that it decides about access. */
  source: string;
  /** Short forms of types (`shortTypeOf`). Absent for grants, which are recognized by the end of their names. */
  types?: readonly string[];
  /** Only a step in which one of these inputs changes counts. */
  inputs?: readonly string[];
  /** Only an update counts: a new resource moves nothing. */
  isMove?: boolean;
  /** It decides which access is logged, and nobody's access. */
  isOfLogs?: boolean;
  /** Its create takes away what its inputs name. Its delete changes nothing. */
  isRemoval?: boolean;
  /** It adds or removes only what its inputs name. */
  isEntry?: boolean;
}

const IAM = "https://cloud.google.com/iam/docs";

/** The grants of every service, such as `gcp:pubsub/topicIAMMember:TopicIAMMember`. */
export const GRANT: ForeignKind = { what: "a grant", source: `${IAM}/granting-changing-revoking-access` };
const AUDIT_CONFIG: ForeignKind = {
  what: "a configuration of audit logs",
  source: "https://cloud.google.com/logging/docs/audit/configure-data-access",
  isOfLogs: true,
};

/** Google's Terraform provider has the same types as `@pulumi/gcp` (`bridgedType`): here are only those with other names. */
export const FOREIGN_KINDS: readonly ForeignKind[] = [
  {
    what: "a removed grant",
    source:
      "https://registry.terraform.io/providers/hashicorp/google/latest/docs/resources/google_project_iam_member_remove",
    types: ["gcp:projects/IamMemberRemove"],
    isRemoval: true,
    isEntry: true,
  },
  {
    what: "an entry of an access control list of Cloud Storage",
    source: "https://cloud.google.com/storage/docs/access-control/lists",
    types: [
      ...inModule("gcp:storage", "BucketAccessControl DefaultObjectAccessControl ObjectAccessControl"),
      ...inModule("google-native:storage", "BucketAccessControl DefaultObjectAccessControl ObjectAccessControl"),
    ],
    isEntry: true,
  },
  {
    what: "an access control list of Cloud Storage",
    source: "https://cloud.google.com/storage/docs/access-control/lists",
    types: inModule("gcp:storage", "BucketACL DefaultObjectACL ObjectACL"),
  },
  {
    what: "an object or a bucket with an access control list",
    source: "https://cloud.google.com/storage/docs/access-control/lists#predefined-acl",
    types: ["gcp:storage/BucketObject", ...inModule("google-native:storage", "BucketObject Bucket")],
    inputs: ["predefinedAcl", "predefinedDefaultObjectAcl", "acl", "defaultObjectAcl"],
  },
  {
    what: "an entry of the access list of a BigQuery dataset",
    source: "https://cloud.google.com/bigquery/docs/control-access-to-resources-iam#grant_access_to_a_dataset",
    types: ["gcp:bigquery/DatasetAccess"],
    isEntry: true,
  },
  {
    what: "a BigQuery dataset with an access list",
    source: "https://cloud.google.com/bigquery/docs/control-access-to-resources-iam#grant_access_to_a_dataset",
    types: ["gcp:bigquery/Dataset", "google-native:bigquery/Dataset"],
    inputs: ["accesses", "access"],
  },
  {
    what: "a row access policy of BigQuery",
    source: "https://cloud.google.com/bigquery/docs/managing-row-level-security",
    types: ["gcp:bigquery/RowAccessPolicy"],
  },
  {
    what: "a custom role",
    source: `${IAM}/creating-custom-roles`,
    types: [
      ...["gcp:projects/IAMCustomRole", "gcp:organizations/IAMCustomRole"],
      ...inModule("google-native:iam", "Role OrganizationRole"),
    ],
  },
  {
    what: "a deny policy",
    source: `${IAM}/deny-overview`,
    types: ["gcp:iam/DenyPolicy"],
  },
  {
    what: "an access boundary",
    source: `${IAM}/principal-access-boundary-policies`,
    types: inModule("gcp:iam", "PrincipalAccessBoundaryPolicy AccessBoundaryPolicy"),
  },
  {
    what: "an access policy",
    source: "https://cloud.google.com/iam/docs/reference/rest/v3beta/projects.locations.accessPolicies",
    types: inModule("gcp:iam", "ProjectAccessPolicy FolderAccessPolicy OrganizationAccessPolicy"),
  },
  {
    what: "a policy binding",
    source: "https://cloud.google.com/iam/docs/reference/rest/v3/projects.locations.policyBindings",
    types: inModule("gcp:iam", "ProjectsPolicyBinding FoldersPolicyBinding OrganizationsPolicyBinding"),
  },
  {
    what: "a membership of a group",
    source: "https://cloud.google.com/identity/docs/reference/rest/v1/groups.memberships",
    types: ["gcp:cloudidentity/GroupMembership", "google-native:cloudidentity/Membership"],
  },
  {
    what: "a group",
    source: "https://cloud.google.com/identity/docs/reference/rest/v1/groups",
    types: ["gcp:cloudidentity/Group", "google-native:cloudidentity/Group"],
  },
  {
    what: "a service account",
    source: `${IAM}/service-account-overview`,
    types: ["gcp:serviceaccount/Account", "google-native:iam/ServiceAccount", "google:ServiceAccount"],
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
      ...["gcp:projects/ApiKey", "google-native:apikeys/Key", "google:ApikeysKey"],
    ],
  },
  {
    what: "an organization policy",
    source: "https://cloud.google.com/resource-manager/docs/organization-policy/overview",
    types: [
      ...inModule("gcp:orgpolicy", "Policy CustomConstraint"),
      ...["gcp:projects/OrganizationPolicy", "gcp:folder/OrganizationPolicy", "gcp:organizations/Policy"],
      ...inModule("google-native:orgpolicy", "Policy FolderPolicy OrganizationPolicy CustomConstraint"),
    ],
  },
  {
    what: "an identity pool",
    source: `${IAM}/workload-identity-federation`,
    types: [
      ...inModule("gcp:iam", "WorkloadIdentityPool WorkloadIdentityPoolProvider WorkloadIdentityPoolNamespace"),
      ...inModule("gcp:iam", "WorkloadIdentityPoolManagedIdentity WorkloadIdentityServiceAgent"),
      ...inModule("gcp:iam", "OauthClient OauthClientCredential WorkforcePool WorkforcePoolProvider"),
      ...inModule("gcp:iam", "WorkforcePoolProviderKey WorkforcePoolProviderScimTenant WorkforcePoolProviderScimToken"),
      ...inModule("google-native:iam", "WorkloadIdentityPool WorkloadIdentityPoolKey Provider"),
      ...inModule("google-native:iam", "WorkforcePool WorkforcePoolKey WorkforcePoolProvider"),
    ],
  },
  {
    what: "an entitlement of Privileged Access Manager",
    source: "https://cloud.google.com/iam/docs/pam-overview",
    types: ["gcp:privilegedaccessmanager/entitlement"],
  },
  {
    what: "a part of a service perimeter",
    source: "https://cloud.google.com/vpc-service-controls/docs/overview",
    types: [
      ...inModule("gcp:accesscontextmanager", "AccessLevel AccessLevelCondition AccessLevels AccessPolicy"),
      ...inModule("gcp:accesscontextmanager", "AuthorizedOrgsDesc EgressPolicy GcpUserAccessBinding IngressPolicy"),
      ...inModule("gcp:accesscontextmanager", "ServicePerimeter ServicePerimeterEgressPolicy ServicePerimeters"),
      ...inModule("gcp:accesscontextmanager", "ServicePerimeterIngressPolicy ServicePerimeterResource"),
      ...inModule("google-native:accesscontextmanager", "AccessLevel AccessPolicy AuthorizedOrgsDesc"),
      ...inModule("google-native:accesscontextmanager", "GcpUserAccessBinding ServicePerimeter"),
    ],
  },
  {
    what: "a role in clusters",
    source: "https://cloud.google.com/kubernetes-engine/fleet-management/docs/rbac-rolebindings",
    types: inModule("gcp:gkehub", "MembershipRbacRoleBinding ScopeRbacRoleBinding"),
  },
  {
    what: "a tag, which conditions can name",
    source: `${IAM}/tags-access-control`,
    types: inModule("gcp:tags", "TagBinding LocationTagBinding TagBindingCollection"),
  },
  {
    what: "a move to another folder or organization",
    source: "https://cloud.google.com/resource-manager/docs/cloud-platform-resource-hierarchy#inheritance",
    types: [
      ...["gcp:organizations/Project", "google-native:cloudresourcemanager/Project", "google:Project"],
      ...["gcp:organizations/Folder", "google-native:cloudresourcemanager/Folder", "google:Folder"],
    ],
    inputs: ["folderId", "orgId", "parent"],
    isMove: true,
  },
];

/** @param names separated by blanks */
function inModule(module: string, names: string): string[] {
  return names.split(" ").map((name) => `${module}/${name}`);
}

/**
 * The short form of the type of Google's Terraform provider for a type of `@pulumi/gcp`: it joins the service and the name, so
 * that `gcp:projects/IAMCustomRole` is `google:ProjectIamCustomRole`. Their letter case differs.
 */
function bridgedType(type: string): string[] {
  const [, module, name] = /^gcp:(\w+?)\/(\w+)$/.exec(type.replace(/^(gcp:(?:project|organization))s\//, "$1/")) ?? [];
  return module === undefined ? [] : [`google:${module}${name}`];
}

const byType = new Map(
  FOREIGN_KINDS.flatMap((kind) =>
    (kind.types ?? []).flatMap((type) => [type, ...bridgedType(type)]).map((type) => [type.toLowerCase(), kind]),
  ),
);

/** The kind of a type of another provider that can change who has access; undefined for all other types. */
export function foreignKindOf(type: string): ForeignKind | undefined {
  const known = byType.get(shortTypeOf(type).toLowerCase());
  if (known) return known;
  const form = grantFormOf(type);
  return form && (form === "auditconfig" ? AUDIT_CONFIG : GRANT);
}

const GRANT_END = /Iam(Member|Binding|Policy|AuditConfig)$/i;
type GrantForm = "member" | "binding" | "policy" | "auditconfig";

/** What a grant owns: its member, its role, the whole policy, or the audit configuration. Undefined for all other types. */
export function grantFormOf(type: string): GrantForm | undefined {
  return GRANT_END.exec(type)?.[1]?.toLowerCase() as GrantForm | undefined;
}

/** The name of a type without the form of its grant: `Topic` for `TopicIAMMember`. */
export function withoutGrantForm(name: string): string {
  return name.replace(/Remove$/, "").replace(GRANT_END, "");
}

/**
 * A type without its version and its repeated name: `gcp:projects/IAMCustomRole` for
 * `gcp:projects/iAMCustomRole:IAMCustomRole`, `google-native:iam/Role` for `google-native:iam/v1:Role`, `google:ProjectIamCustomRole`
 * for `google-beta:index/projectIamCustomRole:ProjectIamCustomRole`.
 */
function shortTypeOf(type: string): string {
  const [provider = "", place = "", name = ""] = type.split(":");
  const [module = ""] = place.split("/");
  return isBridged(type) ? `google:${name}` : `${provider}:${module}/${name}`;
}
