import { resourceLookup } from "../../shared/lookups";
import { getTrigger } from "./definition";

export const trigger = resourceLookup(getTrigger, "the trigger");
