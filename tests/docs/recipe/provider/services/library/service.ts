import type { ServiceDefinition } from "../../core/definition";

export const library: ServiceDefinition = {
  module: "library/v1beta",
  api: "library",
  version: "v1beta",
  title: "Library API",
  endpointKeys: ["library"],
};
