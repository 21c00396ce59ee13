import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { Api, type ApiNotes } from "../../base/api";
import { eventarcV1 } from "../../base/generated/eventarc.v1";
import { ApiError, badRequest, requestInfo } from "../../base/errors";
import { isObject, textOf, type JsonObject } from "../../base/json";
import { refuse } from "../checks";
import { idOf, serve, type Candidate, type ResourceDeclaration } from "../resource-type";

const DESTINATIONS = ["cloudRun", "cloudFunction", "gke", "workflow", "httpEndpoint"];

const notes: ApiNotes = {
  title: "Eventarc API",
  denial: (permission, resource) => `Permission "${permission}" denied on "${resource}"`,
  oneof: { "Destination.descriptor": DESTINATIONS },
  // The document required it until 2023, and a trigger without filters was never observed.
  required: ["Trigger.eventFilters"],
  // The name is in the path.
  optional: ["Trigger.name"],
};

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

/** Only the server sets a function as destination, for functions with a trigger. A user reported this error. */
function refuseFunction({ destination }: JsonObject): void {
  if (isObject(destination) && destination.cloudFunction !== undefined) {
    throw new ApiError("INVALID_ARGUMENT", "The request was invalid: unsupported destination: ", [
      badRequest([{ field: "trigger.destination" }]),
      requestInfo(randomBytes(8).toString("hex")),
    ]);
  }
}

/** The transport that the server creates: a topic, unless the request has one, and its subscription. */
function withTransport({ transport }: JsonObject, { name, call }: Candidate): JsonObject {
  const given = isObject(transport) && isObject(transport.pubsub) ? transport.pubsub : {};
  const id = `eventarc-${call.location}-${idOf(name)}`;
  return {
    transport: {
      pubsub: {
        topic: `projects/${call.project}/topics/${id}`,
        ...given,
        subscription: `projects/${call.project}/subscriptions/${id}-sub-${randomInt(100, 1000)}`,
      },
    },
  };
}

const triggers: ResourceDeclaration = {
  collection: "projects.locations.triggers",
  schema: "Trigger",
  permissions: "eventarc.triggers",
  defaults: (name, now) => ({ uid: randomUUID(), createTime: now, updateTime: now }),
  // A trigger has no etag of its own. An etag from a seed changes with the trigger.
  changed: ({ etag }, name, now) =>
    etag === undefined ? {} : { etag: Buffer.from(`${idOf(name)}@${now}`).toString("base64url") },
  check,
  creating: (body, candidate) => {
    refuseFunction(body);
    const { call, context } = candidate;
    if (body.serviceAccount !== undefined) {
      context.permissions.require(call.method.api, "eventarc.events.receiveEvent", textOf(body.serviceAccount));
    }
    return withTransport(body, candidate);
  },
  patching: (before, after) => {
    const was = isObject(before.destination) ? before.destination.cloudFunction : undefined;
    if (isObject(after.destination) && after.destination.cloudFunction !== was) {
      refuseFunction(after);
    }
  },
  unanswered: ["labels"],
  // A delete returns the former trigger without the fields that the server had set.
  deleted: ({ uid: _uid, createTime: _created, updateTime: _updated, transport: _transport, ...trigger }) => trigger,
};

/** docs/wire.md section 4 */
export const eventarc = serve([new Api(eventarcV1, notes)], [triggers]);
