import type { Handler } from "../context";
import { notFound } from "../http/errors";
import { shown } from "../messages/shown";
import { shapeIn, type ResourceType } from "./resource-type";

/** `get` of a resource: its body as this version of the API shows it. */
export function getHandler(type: ResourceType): Handler {
  return ({ name, stale, method }, { store }) => {
    const resource = stale ? store.getStale(name) : store.get(name);
    if (resource === undefined) {
      throw notFound(name);
    }
    return shown(shapeIn(type, method.version), resource.body);
  };
}
