import { gkehubV1 } from "../../messages/generated/gkehub.v1";
import { gkehubV1alpha } from "../../messages/generated/gkehub.v1alpha";
import { gkehubV1beta } from "../../messages/generated/gkehub.v1beta";
import { Api } from "../../messages/api";

const corrections = {
  oneof: { "RBACRoleBinding.principal": ["user", "group"], "Role.role": ["predefinedRole", "customRole"] },
  // The path of a namespace says which scope it is in.
  output: ["Namespace.scope"],
  optional: ["Namespace.scope"],
};

/** gkehub; v1beta is the one that Perimeter uses (docs/wire.md section 3). */
export const gkehub = [gkehubV1beta, gkehubV1, gkehubV1alpha].map((each) => new Api(each, corrections));
