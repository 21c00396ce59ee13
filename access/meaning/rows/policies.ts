import { IAM, inModule, type ForeignKind } from "../foreign-kind";
import { OF_ENTITLEMENT } from "../members";

/** Policies, roles and limits that decide what a grant gives, or whether it gives anything. */
export const POLICIES: readonly ForeignKind[] = [
  {
    what: "a custom role",
    source: `${IAM}/creating-custom-roles`,
    types: [
      ...["gcp:projects/IAMCustomRole", "gcp:organizations/IAMCustomRole"],
      ...inModule("google-native:iam", "Role OrganizationRole"),
    ],
    inputs: ["permissions", "includedPermissions", "stage", "roleId"],
    isOfNobody: true,
    isIdentity: true,
  },
  {
    what: "a deny policy",
    source: `${IAM}/deny-overview`,
    types: ["gcp:iam/DenyPolicy", "google-native:iam/Policy"],
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
    what: "an organization policy",
    source: "https://cloud.google.com/resource-manager/docs/organization-policy/overview",
    types: [
      ...inModule("gcp:orgpolicy", "Policy CustomConstraint"),
      ...["gcp:projects/OrganizationPolicy", "gcp:folder/OrganizationPolicy", "gcp:organizations/Policy"],
      ...inModule("google-native:orgpolicy", "Policy FolderPolicy OrganizationPolicy CustomConstraint"),
    ],
  },
  {
    what: "an entitlement of Privileged Access Manager",
    source: "https://cloud.google.com/iam/docs/pam-overview",
    types: ["gcp:privilegedaccessmanager/entitlement"],
    members: OF_ENTITLEMENT,
  },
  {
    what: "the settings of Privileged Access Manager",
    source: "https://cloud.google.com/iam/docs/pam-overview",
    types: ["gcp:privilegedaccessmanager/Settings"],
  },
  {
    what: "a part of a service perimeter",
    source: "https://cloud.google.com/vpc-service-controls/docs/overview",
    types: [
      ...inModule("gcp:accesscontextmanager", "AccessLevel AccessLevelCondition AccessLevels AccessPolicy"),
      ...inModule("gcp:accesscontextmanager", "AuthorizedOrgsDesc EgressPolicy GcpUserAccessBinding IngressPolicy"),
      ...inModule("gcp:accesscontextmanager", "ServicePerimeter ServicePerimeterEgressPolicy ServicePerimeters"),
      ...inModule("gcp:accesscontextmanager", "ServicePerimeterIngressPolicy ServicePerimeterResource"),
      ...inModule("gcp:accesscontextmanager", "ServicePerimeterDryRunEgressPolicy ServicePerimeterDryRunIngressPolicy"),
      "gcp:accesscontextmanager/ServicePerimeterDryRunResource",
      ...inModule("google-native:accesscontextmanager", "AccessLevel AccessPolicy AuthorizedOrgsDesc"),
      ...inModule("google-native:accesscontextmanager", "GcpUserAccessBinding ServicePerimeter"),
    ],
  },
  {
    what: "a tag, which conditions can name",
    source: `${IAM}/tags-access-control`,
    types: inModule("gcp:tags", "TagBinding LocationTagBinding TagBindingCollection"),
  },
  {
    what: "a scope of data access",
    source: "https://cloud.google.com/chronicle/docs/administration/datarbac-overview",
    types: inModule("gcp:chronicle", "DataAccessLabel DataAccessScope"),
  },
  {
    what: "rules of Firebase",
    source: "https://firebase.google.com/docs/rules",
    types: [
      ...inModule("gcp:firebaserules", "Release Ruleset"),
      ...inModule("google-native:firebaserules", "Release Ruleset"),
    ],
  },
  {
    what: "an authorization policy of services",
    source: "https://cloud.google.com/service-mesh/docs/security/authorization-policy-overview",
    types: [
      ...inModule("gcp:networksecurity", "AuthorizationPolicy AuthzPolicy"),
      ...["gcp:networkservices/AuthzExtension", "google-native:networksecurity/AuthorizationPolicy"],
    ],
  },
];
