import type { ResourceKind } from "../kind";
import { idOf } from "../ids";
import { apigateway } from "./api";
import { activeDefaults, STATES } from "./gateways";

export const gatewayApis: ResourceKind = {
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
