import type { ServiceDefinition } from "../../provider/core/definition";

/** The APIs that are read for access from above. The provider itself calls neither of them. */

/** https://cloud.google.com/resource-manager/reference/rest/v3 */
export const resourceManager: ServiceDefinition = {
  module: "cloudresourcemanager/v3",
  api: "cloudresourcemanager",
  version: "v3",
  title: "Cloud Resource Manager API",
  endpointKeys: [],
};

/** https://cloud.google.com/iam/docs/reference/rest/v1/roles */
export const iam: ServiceDefinition = {
  module: "iam/v1",
  api: "iam",
  version: "v1",
  title: "Identity and Access Management (IAM) API",
  endpointKeys: [],
};
