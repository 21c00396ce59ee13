import { policyLookup } from "../../shared/lookups";
import { getGatewayIamPolicy } from "./definition";

export const gatewayIamPolicy = policyLookup(getGatewayIamPolicy, "the gateway");
