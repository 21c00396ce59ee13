import { memberGrant } from "../shared/member-grant";
import { library } from "./service";
import { shelfName } from "./shelf/definition";

export const shelfIamMember = memberGrant({
  service: library,
  grantName: "ShelfIamMember",
  kind: "a shelf",
  name: shelfName,
  permissions: ["library.shelves.getIamPolicy", "library.shelves.setIamPolicy"],
  policyAdminRoles: ["roles/library.admin"],
});
