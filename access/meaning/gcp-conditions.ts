/**
 * The types of `@pulumi/gcp` whose provider reads an access policy in version 3, with its conditions: module and name, as in
 * `gcp:storage/bucketIAMMember`. The others send no `requestedPolicyVersion`, so the API leaves the conditions out. Source: the
 * package documents the input `condition` of these types only. The generator of the provider (`iam_conditions_request_type` in
 * magic-modules) decides both.
 */
const WITH_CONDITIONS = `
beyondcorp/securityGatewayApplication beyondcorp/securityGateway bigquery/dataset bigtable/instance
certificateauthority/caPool certificateauthority/certificateTemplate compute/backendService compute/image
compute/instance compute/instanceTemplate compute/instantSnapshot compute/machineImage compute/regionBackendBucket
compute/regionBackendService compute/regionInstantSnapshot compute/storagePool compute/subnetwork dns/dnsManagedZone
folder/ iam/workloadIdentityPool iap/agentRegistryAgent iap/agentRegistryEndpoint iap/agentRegistry
iap/agentRegistryMcpServer iap/appEngineService iap/appEngineVersion iap/locationWeb iap/tunnelDestGroup iap/tunnel
iap/tunnelInstance iap/webBackendService iap/webCloudRunService iap/webForwardingRuleService iap/web
iap/webRegionBackendService iap/webRegionForwardingRuleService iap/webTypeAppEnging iap/webTypeCompute kms/cryptoKey
kms/ekmConnection kms/keyRing logging/logView organizations/ projects/ secretmanager/regionalSecret
secretmanager/secret serviceaccount/ spanner/database storage/bucket storage/managedFolder tags/tagKey tags/tagValue
`;

const kinds = new Set(WITH_CONDITIONS.trim().split(/\s+/));

/** Whether a grant of `@pulumi/gcp` sees the conditions of the policy that it changes. */
export function readsConditions(type: string): boolean {
  const [, kind] = /^gcp:(\w+\/\w*?)iam(?:Member|Binding|Policy):/i.exec(type) ?? [];
  return kind !== undefined && kinds.has(kind);
}
