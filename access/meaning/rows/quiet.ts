/** Names of types that sound like a decision about access and are none. */
export const QUIET_KINDS: ReadonlyArray<{ why: string; types: readonly string[] }> = [
  { why: "settings of approvals of access by Google's staff", types: ["AccessApprovalSettings"] },
  { why: "users of an application, without access to Google Cloud", types: ["UserStore"] },
  { why: "files of an environment's workloads", types: ["UserWorkloadsConfigMap", "UserWorkloadsSecret"] },
  { why: "members of a group of machines", types: ["InstanceGroupMembership"] },
  { why: "a cluster of a fleet, without roles", types: ["Membership", "FeatureMembership"] },
  { why: "the consent screen of an application", types: ["Brand"] },
  { why: "a resource with an access policy of its own", types: ["TunnelDestGroup", "AuthorizedView"] },
  { why: "a device of a user", types: ["Device"] },
  { why: "a border of applications, for their list", types: ["Boundary"] },
  { why: "a proof for a certificate", types: ["DnsAuthorization"] },
  {
    why: "connections and addresses of a network",
    types: ["ClusterUserCreatedConnections", "InstanceDesiredUserCreatedEndpoints", "ExternalAccessRule"],
  },
];
