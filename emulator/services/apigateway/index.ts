import { Api, type ApiNotes } from "../../base/api";
import { apigatewayV1 } from "../../base/generated/apigateway.v1";
import { apigatewayV1beta } from "../../base/generated/apigateway.v1beta";
import { idOf, serve, type ResourceDeclaration } from "../resource-type";

const notes: ApiNotes = {
  title: "API Gateway API",
  messageName: (schema) => schema.replace(/^Apigateway(?!$)/, ""),
  denial: (permission, resource) => `Permission '${permission}' denied on '${resource}'`,
};

/** The lifecycle of all resources in apigateway. */
const states = {
  creating: { state: "CREATING" },
  updating: { state: "UPDATING" },
  deleting: { state: "DELETING" },
  failed: { state: "FAILED" },
} as const;

const active: ResourceDeclaration["defaults"] = (_name, now) => ({ createTime: now, updateTime: now, state: "ACTIVE" });

const gateways: ResourceDeclaration = {
  collection: "projects.locations.gateways",
  schema: "ApigatewayGateway",
  permissions: "apigateway.gateways",
  defaults: (name, now) => ({ ...active(name, now), defaultHostname: `${idOf(name)}-1a2b3c4d.uc.gateway.dev` }),
  states,
};

const gatewayApis: ResourceDeclaration = {
  collection: "projects.locations.apis",
  schema: "ApigatewayApi",
  permissions: "apigateway.apis",
  defaults: active,
  creating: (body, { name, call }) => ({
    displayName: body.displayName ?? idOf(name),
    managedService: body.managedService ?? `${idOf(name)}-1a2b3c4d.apigateway.${call.project}.cloud.goog`,
  }),
  states,
};

const apiConfigs: ResourceDeclaration = {
  collection: "projects.locations.apis.configs",
  schema: "ApigatewayApiConfig",
  permissions: "apigateway.apiconfigs",
  defaults: (name, now) => ({ ...active(name, now), serviceConfigId: `${idOf(name)}-1a2b3c4d` }),
  states,
};

/** docs/wire.md section 5 */
export const apigateway = serve(
  [new Api(apigatewayV1beta, notes), new Api(apigatewayV1, notes)],
  [gateways, gatewayApis, apiConfigs],
);
