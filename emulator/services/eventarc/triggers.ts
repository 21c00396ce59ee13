import { isObject, type JsonObject } from "../../messages/json";
import { refuse } from "../checks";
import { idOf, newUid } from "../ids";
import type { Candidate, ResourceType } from "../resource-type";
import { eventarc } from "./api";

const DESTINATIONS = ["cloudRun", "cloudFunction", "gke", "workflow", "httpEndpoint"];

function check(body: JsonObject): void {
  const target = isObject(body.destination) ? body.destination : {};
  if (!DESTINATIONS.some((variant) => target[variant] !== undefined)) {
    refuse("trigger.destination", "Exactly one destination must be set.");
  }
  if (target.networkConfig !== undefined && target.httpEndpoint === undefined) {
    refuse("trigger.destination.network_config", "network_config is only valid with an http_endpoint destination.");
  }
  const filters = (body.eventFilters ?? []) as JsonObject[];
  if (filters.filter((filter) => filter.attribute === "type").length !== 1) {
    refuse("trigger.event_filters", "Exactly one event filter must be on the attribute 'type'.");
  }
}

/** Only the server sets a function as destination, for functions that have a trigger. */
function refuseFunction({ destination }: JsonObject): void {
  if (isObject(destination) && destination.cloudFunction !== undefined) {
    refuse("trigger.destination.cloud_function", "The cloud_function destination is read-only and cannot be set.");
  }
}

/** The transport that the server sets up: a topic, unless the request names one, and its subscription. */
function withTransport({ transport }: JsonObject, { name, call }: Candidate): JsonObject {
  const given = isObject(transport) && isObject(transport.pubsub) ? transport.pubsub : {};
  const id = `eventarc-${call.location}-${idOf(name)}`;
  return {
    transport: {
      pubsub: {
        topic: `projects/${call.project}/topics/${id}`,
        ...given,
        subscription: `projects/${call.project}/subscriptions/${id}-sub`,
      },
    },
  };
}

const etag = (name: string, now: string) => ({
  etag: Buffer.from(`${idOf(name)}@${now}`).toString("base64url"),
});

export const triggers: ResourceType = {
  apis: eventarc,
  collection: "projects.locations.triggers",
  schema: "Trigger",
  permissions: "eventarc.triggers",
  defaults: (name, now) => ({ uid: newUid(), createTime: now, updateTime: now, ...etag(name, now) }),
  changed: etag,
  check,
  creating: (body, candidate) => {
    refuseFunction(body);
    return withTransport(body, candidate);
  },
  patching: (before, after) => {
    const was = isObject(before.destination) ? before.destination.cloudFunction : undefined;
    if (isObject(after.destination) && after.destination.cloudFunction !== was) {
      refuseFunction(after);
    }
  },
};
