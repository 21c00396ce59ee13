import * as z from "zod";
import { defineLookup } from "../../core/definition";
import { field, objectType, type Codec } from "../../core/field";
import { nameTemplate } from "../../core/reference";
import { SERVICES } from "../../core/services";
import { isRecord } from "../../core/unknown";
import { WireShapeError } from "../../core/wire";
import { location, project, segment, timestamp } from "../shared/fields";
import { lookupDocumentation, resourceLookup } from "../shared/lookups";

/**
 * A condition of a trigger: `{code, message}` in the API, a string in the program (a map of strings; docs/wire.md section 4). The
 * string is `CODE: message`, or only `CODE` without a message. Codes are `google.rpc.Code` names, which contain no colon, so
 * the first `: ` always separates code and message. An absent code is the enum's zero, `OK`.
 */
export const conditionText: Codec = {
  fromWire(value) {
    if (!isRecord(value)) throw new WireShapeError("conditions", "a map of objects");
    const code = typeof value.code === "string" && value.code !== "" ? value.code : "OK";
    const message = typeof value.message === "string" ? value.message : "";
    return message === "" ? code : `${code}: ${message}`;
  },
  toWire(value) {
    const text = String(value);
    const divider = text.indexOf(": ");
    return divider < 0 ? { code: text } : { code: text.slice(0, divider), message: text.slice(divider + 2) };
  },
};

const pathDescription =
  "Relative path on the service, a URI path segment as defined in RFC 2396 section 3.3: with or without a leading " +
  "slash, and with sub-segments. Empty when not set.";

const managedRun = objectType("ManagedRun", "A service of the fully managed container product that receives events.", {
  path: field(z.string(), pathDescription),
  region: field(z.string(), "Region of the service."),
  service: field(
    z.string(),
    "Name of the service. Only services in the same project as the trigger can be addressed. Empty when the trigger " +
      "has another kind of destination.",
  ),
});

const clusterService = objectType("ClusterService", "A service hosted on a Kubernetes cluster that receives events.", {
  cluster: field(z.string(), "Cluster name; the cluster must run in the same project as the trigger."),
  location: field(z.string(), "Compute zone (zonal clusters) or region (regional clusters) of the cluster."),
  namespace: field(z.string(), "Namespace of the service."),
  path: field(z.string(), pathDescription),
  service: field(z.string(), "Name of the service. Empty when the trigger has another kind of destination."),
});

const httpEndpoint = objectType("HttpEndpoint", "An HTTP endpoint destination described by a URI.", {
  uri: field(
    z.string(),
    "An RFC 2396 URI with the scheme `http` or `https`. The host is either a static IP address reachable from the VPC " +
      "named by the network config, or an internal DNS hostname resolvable through the private DNS service. Empty when " +
      "the trigger has another kind of destination.",
  ),
});

const networkConfig = objectType("NetworkConfig", "How a destination is resolved and reached.", {
  networkAttachment: field(
    z.string(),
    "Name of the network attachment granting access to the destination VPC, " +
      "`projects/{PROJECT_ID}/regions/{REGION}/networkAttachments/{NETWORK_ATTACHMENT_NAME}`. Empty when not set.",
  ),
});

const destination = objectType(
  "Destination",
  "Where events are sent. Exactly one kind of destination is set; the others have empty properties.",
  {
    serverlessFunction: field(
      z.string(),
      "Function resource name, `projects/{project}/locations/{location}/functions/{function}`; first- and " +
        "second-generation functions. Read-only: function triggers are created only through the function product. Empty " +
        "when the trigger has another kind of destination.",
      { wire: "cloudFunction" },
    ),
    managedRun: field(
      managedRun,
      "Fully managed container service receiving events; in the same project as the trigger.",
      { wire: "cloudRun" },
    ),
    clusterService: field(
      clusterService,
      "Cluster-hosted service receiving events; in the same project as the trigger.",
      { wire: "gke" },
    ),
    httpEndpoint: field(httpEndpoint, "HTTP endpoint destination described by a URI."),
    networkConfig: field(
      networkConfig,
      "How destinations are resolved and reached; only for the `httpEndpoint` destination type.",
    ),
    workflow: field(
      z.string(),
      "Workflow whose executions are triggered, in the same project as the trigger: " +
        "`projects/{project}/locations/{location}/workflows/{workflow}`. Empty when the trigger has another kind of " +
        "destination.",
    ),
  },
);

const eventFilter = objectType("EventFilter", "A filter on one attribute of the events.", {
  attribute: field(
    z.string(),
    "Name of a CloudEvents attribute. Only a subset of attributes can be filtered. Every trigger has a filter on the " +
      "attribute `type`.",
  ),
  operator: field(
    z.string(),
    "How the value is matched. Empty: only events with exactly this value pass. `path_pattern` is allowed only for " +
      "first-generation function triggers.",
    { knownValues: ["path_pattern", "match-path-pattern"] },
  ),
  value: field(z.string(), "Value for the attribute."),
});

const messaging = objectType("Messaging", "The topic and subscription used as transport.", {
  subscription: field(
    z.string(),
    "Subscription created and managed by the service for delivery, " +
      "`projects/{PROJECT_ID}/subscriptions/{SUBSCRIPTION_NAME}`.",
  ),
  topic: field(
    z.string(),
    "Topic created and managed by the service, `projects/{PROJECT_ID}/topics/{TOPIC_NAME}`. An existing topic may be " +
      "set for triggers of event type `google.cloud.pubsub.topic.v1.messagePublished`; a topic given this way is not " +
      "deleted when the trigger is deleted.",
  ),
});

const transport = objectType("Transport", "The transport intermediary used for delivery.", {
  messaging: field(messaging, "The topic and subscription used as transport.", { wire: "pubsub" }),
});

/** docs/wire.md section 4; `eventarc.projects.locations.triggers.get`. */
const definition = defineLookup({
  service: SERVICES.eventing,
  name: "getTrigger",
  description: "Returns a single event trigger: it routes events that match its filters to one destination.",
  documentation: {
    ...lookupDocumentation("the trigger", "eventarc.triggers.get"),
    examples: [
      {
        title: "Look up an event trigger",
        variable: "trigger",
        values: { location: "us-central1", triggerId: "orders" },
        outputs: { service: "destination.managedRun.service", eventFilters: "eventFilters" },
      },
    ],
  },
  resource: nameTemplate("projects/{project}/locations/{location}/triggers/{triggerId}"),
  args: z.strictObject({
    location: location(),
    project: project(),
    triggerId: field(segment(), "Id of the trigger: the last part of its name."),
  }),
  result: z.object({
    channel: field(
      z.string(),
      "Channel name, `projects/{project}/locations/{location}/channels/{channel}`. A channel is needed to receive " +
        "events from third-party event partners. Empty when not set.",
    ),
    conditions: field(
      z.record(z.string(), z.string()),
      "The reasons why a trigger is in state FAILED, each as `CODE: message`, or only `CODE` without a message.",
      { codec: conditionText },
    ),
    createTime: timestamp("Creation time."),
    destination: field(destination, "Where events are sent."),
    etag: field(
      z.string(),
      "Checksum computed by the server from other fields; may be sent only on create requests so the client proves it " +
        "holds an up-to-date value. May be empty: in the answers that were recorded, no trigger had one.",
    ),
    eventDataContentType: field(
      z.string(),
      "MIME type of the event data payload expected in the CloudEvent. Empty when not defined, which means " +
        "`application/json`.",
    ),
    eventFilters: field(
      z.array(eventFilter),
      "Unordered. Only events that match all filters are sent to the destination.",
    ),
    labels: field(z.record(z.string(), z.string()), "User labels for grouping."),
    name: field(
      z.string(),
      "Resource name, unique within the location of the project: " +
        "`projects/{project}/locations/{location}/triggers/{trigger}`.",
    ),
    serviceAccount: field(
      z.string(),
      "Email-form identity of the trigger. The permission `iam.serviceAccounts.actAs` must be granted on this service " +
        "account to let a principal impersonate it. Empty when not set.",
    ),
    transport: field(transport, "Reference to the transport intermediary used for delivery; for debugging."),
    uid: field(z.string(), "Server-assigned UUID version 4; unchanged until the trigger is deleted."),
    updateTime: timestamp("Last-modified time."),
  }),
});

export const getTrigger = resourceLookup(definition, "the trigger");
