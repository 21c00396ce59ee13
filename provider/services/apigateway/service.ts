import type { ServiceDefinition } from "../../core/definition";

export const apigateway: ServiceDefinition = {
  module: "apigateway/v1beta",
  api: "apigateway",
  version: "v1beta",
  title: "API Gateway API",
  endpointKeys: ["apiGateway"],
};
