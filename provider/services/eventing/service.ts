import type { ServiceDefinition } from "../../core/definition";

export const eventing: ServiceDefinition = {
  module: "eventing/v1",
  api: "eventarc",
  version: "v1",
  title: "Eventarc API",
  endpointKeys: ["eventarc"],
};
