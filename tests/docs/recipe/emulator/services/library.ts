import type { Call, Context, ServiceModule } from "../context";
import { alreadyExists, notFound } from "../http/errors";
import { policyMethods } from "../iam/methods";
import { applyMask, parseMask } from "../messages/field-mask";
import type { JsonObject } from "../messages/json";
import { message, output, required, text, timestamp } from "../messages/schema";
import { getResource } from "./resources";

const path = "projects/{project}/locations/{location}/shelves/{shelf}";

const shelf = message("library.v1beta.Shelf", {
  name: text,
  createTime: output(timestamp),
  theme: required(text),
});

function create(call: Call, { store, clock }: Context): JsonObject {
  const name = `${call.name}/shelves/${String(call.query.shelfId)}`;
  if (store.has(name)) {
    throw alreadyExists(name);
  }
  const body = { ...call.body, name, createTime: clock.timestamp() };
  store.put({ service: "library", name, body });
  return body;
}

function patch(call: Call, { store }: Context): JsonObject {
  const current = store.get(call.name);
  if (current === undefined) {
    throw notFound(call.name);
  }
  const mask = parseMask(String(call.query.updateMask ?? ""), shelf) ?? new Set<string>();
  const body = applyMask(current.body, call.body, mask);
  store.put({ ...current, body });
  return body;
}

function remove(call: Call, { store }: Context): JsonObject {
  if (!store.has(call.name)) {
    throw notFound(call.name);
  }
  store.remove(call.name);
  return {};
}

const shared = { service: "library", version: "v1beta" } as const;
const prefix = "library.projects.locations.shelves";

/** library v1beta, an API that no cloud has. */
export const library: ServiceModule = {
  methods: [
    {
      ...shared,
      id: `${prefix}.create`,
      verb: "POST",
      path: "projects/{project}/locations/{location}",
      collection: "shelves",
      query: { shelfId: "string" },
      request: shelf,
      response: shelf,
      permission: "library.shelves.create",
      handler: create,
    },
    { ...shared, id: `${prefix}.get`, verb: "GET", path, response: shelf, handler: getResource },
    {
      ...shared,
      id: `${prefix}.patch`,
      verb: "PATCH",
      path,
      query: { updateMask: "string" },
      request: shelf,
      response: shelf,
      handler: patch,
    },
    { ...shared, id: `${prefix}.delete`, verb: "DELETE", path, handler: remove },
    ...policyMethods({ ...shared, path, methodPrefix: prefix, permissionPrefix: "library.shelves" }),
  ],
  resourceTypes: [
    { service: "library", path, message: shelf, policy: true, defaults: (_name, now) => ({ createTime: now }) },
  ],
};
