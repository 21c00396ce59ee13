import type { Call, Context, ServiceModule } from "../context";
import { alreadyExists, invalidArgument } from "../http/errors";
import { policyMethods } from "../iam/methods";
import { isObject, type JsonObject } from "../messages/json";
import { missingRequired } from "../messages/required-fields";
import { operationBody, operationMessage } from "../state/operations";
import {
  choice,
  flag,
  int32,
  labels,
  list,
  map,
  message,
  nested,
  oneof,
  output,
  required,
  text,
  timestamp,
} from "../messages/schema";
import { operationMethods } from "./operation-methods";
import { getResource, idOf, newUid } from "./resources";

const path = "projects/{project}/locations/{location}/triggers/{trigger}";
const proto = "google.cloud.eventarc.v1";

const destination = message(`${proto}.Destination`, {
  cloudRun: oneof(
    "descriptor",
    nested(message(`${proto}.CloudRun`, { service: required(text), region: required(text), path: text })),
  ),
  cloudFunction: oneof("descriptor", text),
  gke: oneof(
    "descriptor",
    nested(
      message(`${proto}.GKE`, {
        cluster: required(text),
        location: required(text),
        namespace: required(text),
        service: required(text),
        path: text,
      }),
    ),
  ),
  workflow: oneof("descriptor", text),
  httpEndpoint: oneof("descriptor", nested(message(`${proto}.HttpEndpoint`, { uri: required(text) }))),
  networkConfig: nested(message(`${proto}.NetworkConfig`, { networkAttachment: required(text) })),
});

const trigger = message(`${proto}.Trigger`, {
  name: text,
  uid: output(text),
  createTime: output(timestamp),
  updateTime: output(timestamp),
  eventFilters: required(
    list(nested(message(`${proto}.EventFilter`, { attribute: required(text), value: required(text), operator: text }))),
  ),
  serviceAccount: text,
  destination: required(nested(destination)),
  transport: nested(
    message(`${proto}.Transport`, {
      pubsub: nested(message(`${proto}.Pubsub`, { topic: text, subscription: output(text) })),
    }),
  ),
  labels,
  channel: text,
  conditions: output(
    map(
      nested(
        message(`${proto}.StateCondition`, {
          code: choice("google.rpc.Code", [
            ...["OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS"],
            ...["PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE"],
            ...["UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"],
          ]),
          message: text,
        }),
      ),
    ),
  ),
  eventDataContentType: text,
  satisfiesPzs: output(flag),
  retryPolicy: nested(message(`${proto}.Trigger.RetryPolicy`, { maxAttempts: int32 })),
  etag: output(text),
});

const DESTINATIONS = ["cloudRun", "cloudFunction", "gke", "workflow", "httpEndpoint"];

function refuse(field: string, description: string): never {
  throw invalidArgument(description, [{ field, description }]);
}

function checkTrigger(body: JsonObject): void {
  const missing = missingRequired(trigger, body, "trigger").filter((field) => field !== "trigger.name");
  if (missing.length > 0) {
    throw invalidArgument(
      `Required fields are missing: ${missing.join(", ")}`,
      missing.map((field) => ({ field, description: "The field is required." })),
    );
  }
  const target = isObject(body.destination) ? body.destination : {};
  if (target.cloudFunction !== undefined) {
    refuse("trigger.destination.cloud_function", "The cloud_function destination is read-only and cannot be set.");
  }
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

/** Answers an operation that is done already: the provider creates no triggers, so nothing waits for one. */
function createTrigger(call: Call, context: Context): JsonObject {
  const id = String(call.query.triggerId ?? "");
  if (!/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(id)) {
    refuse("trigger_id", `Invalid trigger id '${id}': 1 to 63 of a-z, 0-9 and -, starting with a letter.`);
  }
  checkTrigger(call.body);
  const name = `${call.name}/triggers/${id}`;
  if (context.store.has(name)) {
    throw alreadyExists(name);
  }
  const body: JsonObject = {
    ...call.body,
    ...triggerDefaults(name, context.clock.timestamp()),
    name,
    transport: {
      pubsub: {
        topic: `projects/${call.project}/topics/eventarc-${call.location}-${id}`,
        ...((call.body.transport as JsonObject | undefined)?.pubsub as JsonObject | undefined),
        subscription: `projects/${call.project}/subscriptions/eventarc-${call.location}-${id}-sub`,
      },
    },
  };
  if (call.query.validateOnly !== true) {
    context.store.put({ service: "eventarc", name, body });
  }
  const operation = context.operations.start({
    service: "eventarc",
    version: "v1",
    verb: "create",
    parent: call.name,
    target: name,
    durationMs: 0,
    response: { "@type": `type.googleapis.com/${trigger.name}`, ...body },
  });
  return operationBody(operation, context.clock);
}

function triggerDefaults(name: string, now: string): JsonObject {
  const etag = Buffer.from(`${idOf(name)}@${now}`).toString("base64url");
  return { uid: newUid(), createTime: now, updateTime: now, etag };
}

/** eventarc v1 (wire reference, section 4). */
export const eventarc: ServiceModule = {
  methods: [
    {
      id: "eventarc.projects.locations.triggers.get",
      service: "eventarc",
      verb: "GET",
      version: "v1",
      path,
      response: trigger,
      permission: "eventarc.triggers.get",
      handler: getResource,
    },
    {
      id: "eventarc.projects.locations.triggers.create",
      service: "eventarc",
      verb: "POST",
      version: "v1",
      path: "projects/{project}/locations/{location}",
      collection: "triggers",
      query: { triggerId: "string", validateOnly: "bool" },
      request: trigger,
      response: operationMessage,
      permission: "eventarc.triggers.create",
      handler: createTrigger,
    },
    ...policyMethods({
      service: "eventarc",
      version: "v1",
      path,
      methodPrefix: "eventarc.projects.locations.triggers",
      permissionPrefix: "eventarc.triggers",
    }),
    ...operationMethods("eventarc", "v1").filter(({ id }) => id.endsWith(".get")),
  ],
  resourceTypes: [{ service: "eventarc", path, message: trigger, policy: true, defaults: triggerDefaults }],
};
