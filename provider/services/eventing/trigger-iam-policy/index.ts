import { policyLookup } from "../../shared/lookups";
import { getTriggerIamPolicy } from "./definition";

export const triggerIamPolicy = policyLookup(getTriggerIamPolicy, "the trigger");
