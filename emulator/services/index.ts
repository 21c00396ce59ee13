import type { Method } from "../context";
import { gatewayApis } from "./apigateway/apis";
import { apiConfigs } from "./apigateway/api-configs";
import { gateways } from "./apigateway/gateways";
import { apis } from "./apis";
import { connectionProfiles } from "./datamigration/connection-profiles";
import { migrationJobs } from "./datamigration/migration-jobs";
import { triggers } from "./eventarc/triggers";
import { membershipBindings, memberships } from "./gkehub/memberships";
import { namespaces } from "./gkehub/namespaces";
import { roleBindings } from "./gkehub/role-bindings";
import { scopes } from "./gkehub/scopes";
import { datasets } from "./healthcare/datasets";
import { fhirStores } from "./healthcare/fhir-stores";
import { iamcredentialsMethods } from "./iamcredentials";
import type { ResourceType } from "./resource-type";
import { locationMethods } from "./locations";
import { associations } from "./networksecurity/associations";
import { organizationEndpoints, projectEndpoints } from "./networksecurity/firewall-endpoints";
import { operationMethods } from "./operations";
import { resourceMethods } from "./resource-methods";

/** Every type of resource that there is. */
export const resourceTypes: readonly ResourceType[] = [
  ...[scopes, namespaces, roleBindings, memberships, membershipBindings],
  ...[triggers],
  ...[gateways, gatewayApis, apiConfigs],
  ...[associations, organizationEndpoints, projectEndpoints],
  ...[migrationJobs, connectionProfiles],
  ...[datasets, fhirStores],
];

/** Every method that the emulator serves: one for each version of its API. */
export const methods: readonly Method[] = [
  ...resourceTypes.flatMap(resourceMethods),
  ...Object.values(apis)
    .flat()
    .flatMap((api) => [...operationMethods(api), ...locationMethods(api)]),
  ...iamcredentialsMethods,
];
