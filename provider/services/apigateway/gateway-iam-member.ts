import { nameTemplate } from "../../core/reference";
import { memberGrant, roleBinding, type GrantParent } from "../shared/member-grant";
import { apigateway } from "./service";

/** `apigateway.projects.locations.gateways`. */
const gatewayGrants: GrantParent = {
  service: apigateway,
  grantName: "GatewayIamMember",
  kind: "an API gateway",
  name: nameTemplate("projects/{project}/locations/{location}/gateways/{gateway}"),
  permissions: ["apigateway.gateways.getIamPolicy", "apigateway.gateways.setIamPolicy"],
  // https://cloud.google.com/iam/docs/roles-permissions/apigateway: predefined roles with gateways.setIamPolicy.
  policyAdminRoles: ["roles/apigateway.admin"],
  // The same page: both roles of the service, admin and viewer, have permissions on gateways.
  above: { permissions: ["apigateway.gateways."], otherRoles: [] },
  example: {
    variable: "auditors",
    name: "projects/demo-project/locations/us-central1/gateways/edge",
    role: "roles/apigateway.viewer",
    member: "group:audit@example.com",
  },
};

export const gatewayIamMember = memberGrant(gatewayGrants);
export const gatewayIamBinding = roleBinding(gatewayGrants);
