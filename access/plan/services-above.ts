import type { ServiceDefinition } from "../../provider/core/definition";

/** Read for access from above; the provider itself does not call it. https://cloud.google.com/resource-manager/reference/rest/v3 */
export const resourceManager: ServiceDefinition = {
  module: "cloudresourcemanager/v3",
  api: "cloudresourcemanager",
  version: "v3",
  title: "Cloud Resource Manager API",
  endpointKeys: [],
};
