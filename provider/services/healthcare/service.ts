import type { ServiceDefinition } from "../../core/definition";

export const healthcare: ServiceDefinition = {
  module: "healthcare/v1beta1",
  api: "healthcare",
  version: "v1beta1",
  title: "Cloud Healthcare API",
  endpointKeys: ["healthcare"],
};
