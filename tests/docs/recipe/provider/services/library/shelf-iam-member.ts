import { memberGrant, roleBinding, type GrantParent } from "../shared/member-grant";
import { library } from "./service";
import { shelfName } from "./shelf/definition";

const shelfGrants: GrantParent = {
  service: library,
  grantName: "ShelfIamMember",
  kind: "a shelf",
  name: shelfName,
  permissions: ["library.shelves.getIamPolicy", "library.shelves.setIamPolicy"],
  policyAdminRoles: ["roles/library.admin"],
  above: { permissions: ["library.shelves."], otherRoles: [] },
  example: {
    variable: "readers",
    name: "projects/demo-project/locations/europe-west1/shelves/travel",
    role: "roles/library.reader",
    member: "user:ann@example.com",
  },
};

export const shelfIamMember = memberGrant(shelfGrants);
export const shelfIamBinding = roleBinding(shelfGrants);
