import { gatewayIamBinding, gatewayIamMember } from "./apigateway/gateway-iam-member";
import { getGatewayIamPolicy } from "./apigateway/gateway-iam-policy";
import { migrationJobIamBinding, migrationJobIamMember } from "./datamigration/migration-job-iam-member";
import { getTrigger } from "./eventing/trigger";
import { triggerIamBinding, triggerIamMember } from "./eventing/trigger-iam-member";
import { getTriggerIamPolicy } from "./eventing/trigger-iam-policy";
import { getScope } from "./fleet/scope";
import { datasetFhirStoreIamBinding, datasetFhirStoreIamMember } from "./healthcare/dataset-fhir-store-iam-member";
import { firewallEndpointAssociation } from "./networksecurity/firewall-endpoint-association/lifecycle";
import type { Lookup } from "./shared/lookups";
import type { Resource } from "./shared/resource";

export { unplannedGrantSettings } from "./shared/grant-settings";

/** Every resource of the provider. Add new resources here. */
export const resources: readonly Resource[] = [
  firewallEndpointAssociation,
  migrationJobIamMember,
  migrationJobIamBinding,
  datasetFhirStoreIamMember,
  datasetFhirStoreIamBinding,
  triggerIamMember,
  triggerIamBinding,
  gatewayIamMember,
  gatewayIamBinding,
];

/** Every lookup of the provider. Add new lookups here. */
export const lookups: readonly Lookup[] = [getScope, getTrigger, getTriggerIamPolicy, getGatewayIamPolicy];
