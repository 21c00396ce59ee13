import type { ServiceDefinition } from "../../core/definition";

export const networksecurity: ServiceDefinition = {
  module: "networksecurity/v1beta1",
  api: "networksecurity",
  version: "v1beta1",
  title: "Network Security API",
  endpointKeys: ["networkSecurity"],
};
