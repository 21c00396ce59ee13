import { randomUUID } from "node:crypto";
import type { Call, Context, ResourceType, Method } from "../context";
import { alreadyExists, invalidArgument, notFound } from "../http/errors";
import { applyMask, parseMask } from "../messages/field-mask";
import { textOf, type JsonObject } from "../messages/json";
import { operationMessage } from "../state/operations";
import { listPage } from "../list/page";
import { requirePermission } from "../auth/permissions";
import { message, list as listOf, nested, text } from "../messages/schema";
import type { Store, StoredResource } from "../state/store";
import { startOnce, startOperation } from "./association-operations";
import {
  association,
  checkBody,
  checkId,
  checkImmutable,
  checkNeighbours,
  checkZone,
  MUTABLE,
  withRelativeNames,
} from "./association-rules";
import { getResource } from "./resources";

const path = "projects/{project}/locations/{location}/firewallEndpointAssociations/{association}";

function find(store: Store, name: string): StoredResource {
  const resource = store.get(name);
  if (resource === undefined) {
    throw notFound(name);
  }
  return resource;
}

function create(call: Call, context: Context): JsonObject {
  return startOnce(call, context, () => {
    const { store, clock, operations } = context;
    const config = context.config();
    checkZone(call.location);
    const given = call.query.firewallEndpointAssociationId;
    const id = given === undefined || given === "" ? randomUUID() : String(given);
    if (given) {
      checkId(id);
    }
    const name = `${call.name}/firewallEndpointAssociations/${id}`;
    const body = withRelativeNames(call.body);
    checkBody(body, call.location, config);
    if (body.disabled === true) {
      const description = "An association cannot be created disabled.";
      throw invalidArgument(description, [{ field: "disabled", description }]);
    }
    const endpointParent = textOf(body.firewallEndpoint).replace(/\/firewallEndpoints\/[^/]+$/, "");
    requirePermission(config, "networksecurity", "networksecurity.firewallEndpoints.use", endpointParent);
    if (store.has(name)) {
      throw alreadyExists(name);
    }
    operations.refuseIfBusy(name);
    checkNeighbours(name, body, store.all(), config);
    const now = clock.timestamp();
    const made = { ...body, name, createTime: now, updateTime: now, state: "CREATING", reconciling: true };
    store.put({ service: "networksecurity", name, body: made });
    return startOperation(call, context, "create", name);
  });
}

function patch(call: Call, context: Context): JsonObject {
  return startOnce(call, context, () => {
    const { store, operations } = context;
    const config = context.config();
    const current = find(store, call.name);
    const named = parseMask(call.query.updateMask as string | undefined, association);
    if (named?.has("name") && call.query.updateMask !== "*") {
      const description = "Field 'name' is immutable.";
      throw invalidArgument(description, [{ field: "update_mask", description }]);
    }
    // Without a mask a patch overwrites all mutable fields. Output-only fields in a mask are ignored (AIP-203).
    const mask = new Set<string>(MUTABLE.filter((field) => named === undefined || named.has(field)));
    const after = applyMask(current.body, withRelativeNames(call.body), mask);
    checkBody(after, call.location, config);
    checkImmutable(current.body, after, config);
    operations.refuseIfBusy(call.name);
    checkNeighbours(call.name, after, store.all(), config);
    store.put({ ...current, body: { ...current.body, reconciling: true } });
    return startOperation(call, context, "update", call.name, after);
  });
}

function remove(call: Call, context: Context): JsonObject {
  return startOnce(call, context, () => {
    const { store, operations } = context;
    const current = find(store, call.name);
    operations.refuseIfBusy(call.name);
    store.put({ ...current, body: { ...current.body, state: "DELETING", reconciling: true } });
    return startOperation(call, context, "delete", call.name, current.body);
  });
}

function list(call: Call, context: Context): JsonObject {
  const anyLocation = call.location === "-";
  if (!anyLocation) {
    checkZone(call.location);
  }
  const prefix = anyLocation ? `projects/${call.project}/locations/` : `${call.name}/firewallEndpointAssociations/`;
  const bodies = context.store
    .all()
    .filter((resource) => resource.service === "networksecurity" && resource.name.startsWith(prefix))
    .map((resource) => resource.body);
  const { items, nextPageToken } = listPage(bodies, call, association);
  return { ...(items.length > 0 && { firewallEndpointAssociations: items }), ...(nextPageToken && { nextPageToken }) };
}

const shared = { service: "networksecurity", version: "v1beta1", path } as const;
const collection = {
  service: "networksecurity",
  version: "v1beta1",
  path: "projects/{project}/locations/{location}",
  collection: "firewallEndpointAssociations",
} as const;
const methodPrefix = "networksecurity.projects.locations.firewallEndpointAssociations";
const permissionPrefix = "networksecurity.firewallEndpointAssociations";

export const associationMethods: readonly Method[] = [
  {
    ...collection,
    id: `${methodPrefix}.create`,
    verb: "POST",
    query: { firewallEndpointAssociationId: "string", requestId: "string" },
    request: association,
    response: operationMessage,
    permission: `${permissionPrefix}.create`,
    handler: create,
  },
  {
    ...collection,
    id: `${methodPrefix}.list`,
    verb: "GET",
    query: { pageSize: "int32", pageToken: "string", filter: "string", orderBy: "string" },
    response: message("ListFirewallEndpointAssociationsResponse", {
      firewallEndpointAssociations: listOf(nested(association)),
      nextPageToken: text,
      unreachable: listOf(text),
    }),
    permission: `${permissionPrefix}.list`,
    handler: list,
  },
  {
    ...shared,
    id: `${methodPrefix}.get`,
    verb: "GET",
    response: association,
    permission: `${permissionPrefix}.get`,
    handler: getResource,
  },
  {
    ...shared,
    id: `${methodPrefix}.patch`,
    verb: "PATCH",
    query: { updateMask: "string", requestId: "string" },
    request: association,
    response: operationMessage,
    permission: `${permissionPrefix}.update`,
    handler: patch,
  },
  {
    ...shared,
    id: `${methodPrefix}.delete`,
    verb: "DELETE",
    query: { requestId: "string" },
    response: operationMessage,
    permission: `${permissionPrefix}.delete`,
    handler: remove,
  },
];

export const associationType: ResourceType = {
  service: "networksecurity",
  path,
  message: association,
  policy: false,
  complete: true,
  defaults: (_name, now) => ({ createTime: now, updateTime: now, state: "ACTIVE" }),
};
