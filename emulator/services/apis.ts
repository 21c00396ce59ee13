import type { Service } from "../control/config";
import type { Api } from "../messages/api";
import { apigateway } from "./apigateway/api";
import { datamigration } from "./datamigration/api";
import { eventarc } from "./eventarc/api";
import { gkehub } from "./gkehub/api";
import { healthcare } from "./healthcare/api";
import { networksecurity } from "./networksecurity/api";

/** Each API in all versions that are served, the one that Perimeter uses first. */
export const apis: Readonly<Record<Service, readonly Api[]>> = {
  gkehub,
  eventarc,
  apigateway,
  networksecurity,
  datamigration,
  healthcare,
};
