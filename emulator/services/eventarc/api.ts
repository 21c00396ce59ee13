import { Api } from "../../messages/api";
import { eventarcV1 } from "../../messages/generated/eventarc.v1";

/** eventarc (docs/wire.md section 4). */
export const eventarc = [
  new Api(eventarcV1, {
    oneof: { "Destination.descriptor": ["cloudRun", "cloudFunction", "gke", "workflow", "httpEndpoint"] },
    // Until 2023 the document said so; a trigger without filters has never been seen.
    required: ["Trigger.eventFilters"],
    // The path names it.
    optional: ["Trigger.name"],
  }),
];
