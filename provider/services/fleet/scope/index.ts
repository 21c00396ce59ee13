import { resourceLookup } from "../../shared/lookups";
import { getScope } from "./definition";

export const scope = resourceLookup(getScope, "the fleet scope");
