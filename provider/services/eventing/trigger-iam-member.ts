import { nameTemplate } from "../../core/reference";
import { memberGrant, roleBinding, type GrantParent } from "../shared/member-grant";
import { eventing } from "./service";

/** `eventarc.projects.locations.triggers`. */
const triggerGrants: GrantParent = {
  service: eventing,
  grantName: "TriggerIamMember",
  kind: "an event trigger",
  name: nameTemplate("projects/{project}/locations/{location}/triggers/{trigger}"),
  permissions: ["eventarc.triggers.getIamPolicy", "eventarc.triggers.setIamPolicy"],
  // https://cloud.google.com/iam/docs/roles-permissions/eventarc: predefined roles with triggers.setIamPolicy.
  policyAdminRoles: ["roles/eventarc.admin"],
  // The same page: roles of message buses, of pipelines and of those who publish and receive events.
  above: {
    permissions: ["eventarc.triggers."],
    otherRoles: [
      ...["roles/eventarc.messageBus", "roles/eventarc.connectionPublisher"],
      ...["roles/eventarc.publisher", "roles/eventarc.eventReceiver"],
    ],
  },
  example: {
    variable: "ordersTeam",
    name: "projects/demo-project/locations/us-central1/triggers/orders",
    role: "roles/eventarc.developer",
    member: "group:orders@example.com",
  },
};

export const triggerIamMember = memberGrant(triggerGrants);
export const triggerIamBinding = roleBinding(triggerGrants);
