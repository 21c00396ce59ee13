import { IAM, inModule, type ForeignKind } from "../foreign-kind";
import { OF_ACCESS_LEVEL, OF_ENTITLEMENT, OF_PERIMETER } from "../members";

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
    what: "an access level",
    source: "https://cloud.google.com/access-context-manager/docs/overview",
    types: [
      ...inModule("gcp:accesscontextmanager", "AccessLevel AccessLevelCondition AccessLevels"),
      "google-native:accesscontextmanager/AccessLevel",
    ],
    members: OF_ACCESS_LEVEL,
  },
  {
    what: "a service perimeter or a rule of one",
    source: "https://cloud.google.com/vpc-service-controls/docs/ingress-egress-rules",
    types: [
      ...inModule("gcp:accesscontextmanager", "ServicePerimeter ServicePerimeters ServicePerimeterEgressPolicy"),
      "gcp:accesscontextmanager/ServicePerimeterIngressPolicy",
      "google-native:accesscontextmanager/ServicePerimeter",
    ],
    members: OF_PERIMETER,
  },
  {
    what: "a part of a service perimeter",
    source: "https://cloud.google.com/vpc-service-controls/docs/overview",
    types: [
      ...inModule("gcp:accesscontextmanager", "AccessPolicy AuthorizedOrgsDesc EgressPolicy GcpUserAccessBinding"),
      ...inModule("gcp:accesscontextmanager", "IngressPolicy ServicePerimeterResource ServicePerimeterDryRunResource"),
      ...inModule("gcp:accesscontextmanager", "ServicePerimeterDryRunEgressPolicy ServicePerimeterDryRunIngressPolicy"),
      ...inModule("google-native:accesscontextmanager", "AccessPolicy AuthorizedOrgsDesc GcpUserAccessBinding"),
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
