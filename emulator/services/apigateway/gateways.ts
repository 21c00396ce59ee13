import { idOf } from "../ids";
import type { ResourceType } from "../resource-type";
import { apigateway } from "./api";

/** The life of everything in apigateway. */
export const STATES = {
  creating: { state: "CREATING" },
  updating: { state: "UPDATING" },
  deleting: { state: "DELETING" },
  failed: { state: "FAILED" },
} as const;

export const activeDefaults: ResourceType["defaults"] = (_name, now) => ({
  createTime: now,
  updateTime: now,
  state: "ACTIVE",
});

export const gateways: ResourceType = {
  apis: apigateway,
  collection: "projects.locations.gateways",
  schema: "ApigatewayGateway",
  permissions: "apigateway.gateways",
  defaults: (name, now) => ({
    ...activeDefaults(name, now),
    defaultHostname: `${idOf(name)}-1a2b3c4d.uc.gateway.dev`,
  }),
  states: STATES,
};
