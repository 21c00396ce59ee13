import type { ResourceType } from "../resource-type";
import { networksecurity } from "./api";

/** Endpoints of an organization or of a project; which associations use one is not worked out. */
function firewallEndpoints(parent: "organizations" | "projects"): ResourceType {
  return {
    apis: networksecurity,
    collection: `${parent}.locations.firewallEndpoints`,
    schema: "FirewallEndpoint",
    permissions: "networksecurity.firewallEndpoints",
    defaults: (_name, now) => ({ createTime: now, updateTime: now, state: "ACTIVE" }),
    states: {
      creating: { state: "CREATING", reconciling: true },
      updating: { reconciling: true },
      deleting: { state: "DELETING", reconciling: true },
      failed: { state: "INACTIVE", reconciling: null },
    },
    unanswered: ["labels"],
  };
}

export const organizationEndpoints = firewallEndpoints("organizations");
export const projectEndpoints = firewallEndpoints("projects");
