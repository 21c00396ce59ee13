import type { ServiceModule } from "../context";
import { operationMethods } from "./operation-methods";
import { associationType, associationMethods } from "./associations";

/** networksecurity v1beta1 (wire reference, section 6). */
export const networksecurity: ServiceModule = {
  methods: [...associationMethods, ...operationMethods("networksecurity", "v1beta1")],
  resourceTypes: [associationType],
};
