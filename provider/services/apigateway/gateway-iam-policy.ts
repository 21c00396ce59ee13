import * as z from "zod";
import { defineLookup } from "../../core/definition";
import { field } from "../../core/field";
import { nameTemplate } from "../../core/reference";
import { location, project, segment } from "../shared/fields";
import { lookupDocumentation, policyLookup } from "../shared/lookups";
import { policyResult, requestedPolicyVersion } from "../shared/policy-types";
import { apigateway } from "./service";

/** Spec section 2.4; `apigateway.projects.locations.gateways.getIamPolicy`. */
const definition = defineLookup({
  service: apigateway,
  name: "getGatewayIamPolicy",
  description:
    "Gets the access-control policy of an API gateway. When the gateway exists but has no policy, an empty policy is " +
    "returned.",
  documentation: {
    ...lookupDocumentation("the gateway", "apigateway.gateways.getIamPolicy"),
    examples: [
      {
        title: "See who has access to an API gateway",
        variable: "gatewayPolicy",
        values: { location: "us-central1", gatewayId: "edge" },
        outputs: { bindings: "bindings", etag: "etag" },
      },
    ],
  },
  resource: nameTemplate("projects/{project}/locations/{location}/gateways/{gatewayId}"),
  args: z.strictObject({
    gatewayId: field(segment(), "Id of the gateway: the last part of its name."),
    location: location(),
    optionsRequestedPolicyVersion: requestedPolicyVersion(),
    project: project(),
  }),
  result: policyResult(),
});

export const getGatewayIamPolicy = policyLookup(definition, "the gateway");
