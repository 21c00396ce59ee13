import type { ResourceType } from "../resource-type";
import { idOf } from "../ids";
import { apigateway } from "./api";
import { activeDefaults, STATES } from "./gateways";

export const apiConfigs: ResourceType = {
  apis: apigateway,
  collection: "projects.locations.apis.configs",
  schema: "ApigatewayApiConfig",
  permissions: "apigateway.apiconfigs",
  defaults: (name, now) => ({ ...activeDefaults(name, now), serviceConfigId: `${idOf(name)}-1a2b3c4d` }),
  states: STATES,
};
