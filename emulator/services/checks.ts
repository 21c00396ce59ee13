import type { Service } from "../base/api";
import {
  ApiError,
  failedPrecondition,
  invalidArgument,
  invalidPayload,
  notFound,
  type FieldViolation,
} from "../base/errors";
import { textOf, toSnake, type JsonObject } from "../base/json";
import { missingRequired } from "../messages/required-fields";
import type { Store, StoredResource } from "../state/store";
import type { Call, Context } from "./method";
import { collectionId, shapeIn, type ResourceType } from "./resource-type";

/** Rules that all types of resources share. */

const ID = { form: /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/, words: "it must match [a-z]([-a-z0-9]*[a-z0-9])?" };
const LABEL_KEY = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u;
const LABEL_VALUE = /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u;
const MAX_LABELS = 64;

/** @throws ApiError INVALID_ARGUMENT with all findings, unless there are none */
export function refuseAll(violations: readonly FieldViolation[]): void {
  if (violations.length > 0) {
    throw invalidPayload(violations);
  }
}

export function refuse(field: string, description: string): never {
  throw invalidArgument(description, [{ field, description }]);
}

/** @throws ApiError NOT_FOUND */
export function find(store: Store, service: Service, name: string): StoredResource {
  const resource = store.get(service, name);
  if (resource === undefined) {
    throw notFound(name);
  }
  return resource;
}

/**
 * The resource with this name, which need not be stored if every resource of its type exists.
 *
 * @param stale returns the state before the last write
 * @throws ApiError NOT_FOUND
 */
export function existing(type: ResourceType, name: string, context: Context, stale = false): StoredResource {
  const { service, apis } = type;
  const { store, clock } = context;
  const stored = stale ? store.getStale(service, name) : store.get(service, name);
  if (stored !== undefined) {
    return stored;
  }
  if (type.existsUnstored?.(name, context) !== true) {
    throw notFound(name, apis[0]?.notes);
  }
  return { service, name, body: { ...type.defaults(name, clock.timestamp()), name } };
}

/** The name of the resource to create. @throws ApiError for a missing or invalid id */
export function nameOfNew(type: ResourceType, call: Call): string {
  const parameter = idParameter(type, call);
  const given = String(call.query[parameter] ?? "");
  const collection = collectionId(type);
  if (given === "" && type.newId !== undefined) {
    return `${call.name}/${collection}/${type.newId()}`;
  }
  const { form, words } = type.id ?? ID;
  if (!form.test(given)) {
    const field = toSnake(parameter);
    const shown = given.slice(0, 100);
    refuse(field, `Invalid ${field} '${shown}': ${words} and have at most 63 characters.`);
  }
  return `${call.name}/${collection}/${given}`;
}

/** The query parameter of the id, e.g. `triggerId`. */
function idParameter(type: ResourceType, call: Call): string {
  const known = Object.keys(call.method.query ?? {});
  return known.find((name) => name.endsWith("Id") && name !== "requestId") ?? `${collectionId(type)}Id`;
}

/** @throws ApiError INVALID_ARGUMENT that lists all missing required fields */
export function checkRequired(type: ResourceType, version: string, body: JsonObject, stored: boolean): void {
  refuseAll(
    missingRequired(shapeIn(type, version), body, "", stored)
      .filter((field) => field !== "name")
      .map((field) => ({ field, description: `Required field '${field}' is missing.` })),
  );
}

/** @throws ApiError INVALID_ARGUMENT that lists all invalid labels */
export function checkLabels(body: JsonObject): void {
  const given = Object.entries((body.labels ?? {}) as JsonObject);
  const violations = given
    .filter(([key, value]) => !LABEL_KEY.test(key) || !LABEL_VALUE.test(textOf(value)))
    .map(([key]) => ({ field: `labels[${key.slice(0, 100)}]`, description: `Invalid label '${key.slice(0, 100)}'.` }));
  if (given.length > MAX_LABELS) {
    violations.push({ field: "labels", description: `A resource can have at most ${MAX_LABELS} labels.` });
  }
  refuseAll(violations);
}

/** Checks that the parent exists. @throws ApiError NOT_FOUND that names the parent */
export function requireParent({ service }: ResourceType, name: string, { store }: Context): void {
  const parent = name.split("/").slice(0, -2);
  const above = parent.join("/");
  if (parent.length > 4 && !store.has(service, above)) {
    throw notFound(above);
  }
}

/** @throws ApiError FAILED_PRECONDITION while a resource has children that a delete would orphan */
export function refuseWithChildren(type: ResourceType, call: Call, { store }: Context): void {
  if (type.children === "deleted" || call.query.force === true) {
    return;
  }
  const [child] = store.below(type.service, call.name);
  if (child !== undefined) {
    throw failedPrecondition(
      "RESOURCE_HAS_CHILDREN",
      call.name,
      `Resource '${call.name}' has resources below it, such as '${child}': delete them first.`,
    );
  }
}

/** @throws ApiError ABORTED when a request has an outdated etag */
export function checkEtag(sent: unknown, current: JsonObject): void {
  if (typeof sent === "string" && sent !== "" && current.etag !== undefined && sent !== current.etag) {
    throw new ApiError("ABORTED", `The etag '${sent.slice(0, 100)}' does not match the current one.`);
  }
}
