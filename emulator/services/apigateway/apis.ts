import type { ResourceType } from "../resource-type";
import { idOf } from "../ids";
import { apigateway } from "./api";
import { activeDefaults, STATES } from "./gateways";

export const gatewayApis: ResourceType = {
  apis: apigateway,
  collection: "projects.locations.apis",
  schema: "ApigatewayApi",
  permissions: "apigateway.apis",
  defaults: activeDefaults,
  creating: (body, { name, call }) => ({
    managedService: body.managedService ?? `${idOf(name)}-1a2b3c4d.apigateway.${call.project}.cloud.goog`,
  }),
  states: STATES,
};
