import { getTrigger } from "./eventing/trigger";
import { getScope } from "./fleet/scope";
import { resourceGrants, resourcePolicyLookup } from "./iam/resource-grants";
import { firewallEndpointAssociation } from "./networksecurity/firewall-endpoint-association/lifecycle";
import { parents } from "./parents";
import type { Lookup } from "./shared/lookups";
import { memberGrant, roleBinding } from "./shared/member-grant/lifecycle";
import { policyLookup } from "./shared/policy-lookup";
import type { Resource } from "./shared/resource";

export { refuseUnknownApis } from "./iam/any-resource";
export { unplannedGrantSettings } from "./shared/grant-settings";

/** Every resource of the provider. Add new resources here, and those of a new kind with a policy to `parents`. */
export const resources: readonly Resource[] = [
  firewallEndpointAssociation,
  ...parents.flatMap((parent) => [memberGrant(parent), roleBinding(parent)]),
  ...resourceGrants,
];

/** Every lookup of the provider. Add new lookups here. */
export const lookups: readonly Lookup[] = [
  getScope,
  getTrigger,
  ...parents.flatMap(policyLookup),
  resourcePolicyLookup,
];
