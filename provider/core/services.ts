import type { ServiceDefinition } from "./definition";

/**
 * The APIs that the provider calls, one row each. The keys of their endpoints in the configuration, their environment variables
 * and their documentation are derived from the rows.
 */
export const SERVICES = {
  fleet: {
    module: "fleet/v1beta",
    api: "gkehub",
    version: "v1beta",
    title: "GKE Hub API",
    endpointKeys: ["gkeHub2", "gkeHub"],
  },
  eventing: {
    module: "eventing/v1",
    api: "eventarc",
    version: "v1",
    title: "Eventarc API",
    endpointKeys: ["eventarc"],
  },
  apigateway: {
    module: "apigateway/v1beta",
    api: "apigateway",
    version: "v1beta",
    title: "API Gateway API",
    endpointKeys: ["apiGateway"],
  },
  networksecurity: {
    module: "networksecurity/v1beta1",
    api: "networksecurity",
    version: "v1beta1",
    title: "Network Security API",
    endpointKeys: ["networkSecurity"],
  },
  datamigration: {
    module: "datamigration/v1beta1",
    api: "datamigration",
    version: "v1beta1",
    title: "Database Migration API",
    endpointKeys: ["databaseMigrationService"],
  },
  healthcare: {
    module: "healthcare/v1beta1",
    api: "healthcare",
    version: "v1beta1",
    title: "Cloud Healthcare API",
    endpointKeys: ["healthcare"],
    // The documentation does not state this quota: GoogleCloudPlatform/magic-modules, pull request 2884.
    policyWritesPerMinute: 30,
  },
  iam: {
    module: "iam/v1",
    api: "iam",
    version: "v1",
    title: "Identity and Access Management (IAM) API",
    endpointKeys: ["iam"],
  },
} as const satisfies Record<string, ServiceDefinition>;

/** The key of the configuration that overrides the address of a service. */
export type EndpointSetting = `${(typeof SERVICES)[keyof typeof SERVICES]["endpointKeys"][number]}CustomEndpoint`;

/** Says which project has a number. No resource of the provider is in it. https://cloud.google.com/resource-manager/reference/rest/v3 */
export const RESOURCE_MANAGER: ServiceDefinition = {
  module: "cloudresourcemanager/v3",
  api: "cloudresourcemanager",
  version: "v3",
  title: "Cloud Resource Manager API",
  endpointKeys: [],
};
