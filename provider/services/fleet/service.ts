import type { ServiceDefinition } from "../../core/definition";

export const fleet: ServiceDefinition = {
  module: "fleet/v1beta",
  api: "gkehub",
  version: "v1beta",
  title: "GKE Hub API",
  endpointKeys: ["gkeHub2", "gkeHub"],
};
