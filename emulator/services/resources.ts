import { randomUUID } from "node:crypto";
import type { Call, Context, Handler } from "../context";
import { notFound } from "../http/errors";
import type { JsonObject } from "../messages/json";

/** The handler of every `get`: answers the stored body. */
export const getResource: Handler = (call: Call, context: Context): JsonObject => {
  const resource = call.stale ? context.store.getStale(call.name) : context.store.get(call.name);
  if (resource === undefined) {
    throw notFound(call.name);
  }
  return resource.body;
};

export function newUid(): string {
  return randomUUID();
}

/** The last segment of a resource name. */
export function idOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
