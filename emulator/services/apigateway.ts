import type { ServiceModule } from "../context";
import { policyMethods } from "../iam/methods";
import { choice, labels, message, output, required, text, timestamp } from "../messages/schema";
import { getResource, idOf } from "./resources";

const path = "projects/{project}/locations/{location}/gateways/{gateway}";

const gateway = message("google.cloud.apigateway.v1beta.Gateway", {
  name: output(text),
  createTime: output(timestamp),
  updateTime: output(timestamp),
  displayName: text,
  labels,
  apiConfig: required(text),
  state: output(
    choice("google.cloud.apigateway.v1beta.Gateway.State", [
      "STATE_UNSPECIFIED",
      "CREATING",
      "ACTIVE",
      "FAILED",
      "DELETING",
      "UPDATING",
    ]),
  ),
  defaultHostname: output(text),
});

/** apigateway v1beta (wire reference, section 5). */
export const apigateway: ServiceModule = {
  methods: [
    {
      id: "apigateway.projects.locations.gateways.get",
      service: "apigateway",
      verb: "GET",
      version: "v1beta",
      path,
      response: gateway,
      permission: "apigateway.gateways.get",
      handler: getResource,
    },
    ...policyMethods({
      service: "apigateway",
      version: "v1beta",
      path,
      methodPrefix: "apigateway.projects.locations.gateways",
      permissionPrefix: "apigateway.gateways",
    }),
  ],
  resourceTypes: [
    {
      service: "apigateway",
      path,
      message: gateway,
      policy: true,
      defaults: (name, now) => ({
        createTime: now,
        updateTime: now,
        state: "ACTIVE",
        defaultHostname: `${idOf(name)}-1a2b3c4d.uc.gateway.dev`,
      }),
    },
  ],
};
