import type { ServiceModule } from "../context";
import { operationMethods } from "./operation-methods";
import { associationKind, associationMethods } from "./associations";

/** networksecurity v1beta1 (wire reference, section 6). */
export const networksecurity: ServiceModule = {
  methods: [...associationMethods, ...operationMethods("networksecurity", "v1beta1")],
  kinds: [associationKind],
};
