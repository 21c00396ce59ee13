import type { Call, Context, Handler } from "./method";
import { alreadyExists, ApiError, failedPrecondition } from "../base/errors";
import { applyMask, parseMask, type FieldPath } from "../messages/field-mask";
import { mergeDifference, sameJson, textOf, toSnake, withFields, type JsonObject } from "../base/json";
import type { Message } from "../base/schema";
import { shown } from "../messages/shown";
import type { StoredOperation, StoredResource } from "../state/store";
import {
  checkEtag,
  checkLabels,
  checkRequired,
  find,
  nameOfNew,
  refuse,
  refuseWithChildren,
  requireParent,
} from "./checks";
import { succeededResponse } from "./finish";
import { shapeIn, type Action, type Candidate, type ResourceType } from "./resource-type";
import { once } from "./request-ids";

/**
 * Handlers for create, patch, delete and actions of all resource types. If the API returns an operation, the effect comes at
 * its end (`finish.ts`). If it returns the resource, the effect is immediate.
 */

/** The time between the create time of a resource and of its operation, in ms. About 4 were observed. */
const CREATE_LEAD_MS = 4;

/** Whether the method returns an operation. */
function isLongRunning(call: Call): boolean {
  return call.method.response?.name === "google.longrunning.Operation";
}

export function createHandler(type: ResourceType): Handler {
  return (call, context) =>
    answered(type, call, context, () => {
      type.checkLocation?.(call.location);
      return creation(type, nameOfNew(type, call), call, context);
    });
}

function creation(type: ResourceType, name: string, call: Call, context: Context): Change {
  const { store, clock, operations } = context;
  const candidate = { name, call, context, config: context.config() };
  const body = prepared(type, call.body, candidate);
  const added = type.creating?.(body, candidate);
  requireParent(type, name, context);
  if (store.has(type.service, name)) {
    throw alreadyExists(name);
  }
  operations.refuseIfBusy(type.service, name);
  const made = { ...body, ...type.defaults(name, clock.timestamp(clock.now() - CREATE_LEAD_MS)), ...added, name };
  return { verb: "create", resource: { service: type.service, name, body: made }, during: type.states?.creating };
}

/** Checks the body of a request and returns it as it is stored. */
function prepared(type: ResourceType, sent: JsonObject, candidate: Candidate): JsonObject {
  const { version } = candidate.call.method.api;
  const body = type.normalise?.(sent) ?? sent;
  checkRequired(type, version, body, false);
  checkLabels(body);
  type.check?.(body, candidate);
  const { etag: _sentEtag, ...made } = shown(shapeIn(type, version), body);
  return made;
}

export function patchHandler(type: ResourceType): Handler {
  return (call, context) =>
    answered(type, call, context, () => {
      const { store, operations, clock } = context;
      if (call.query.allowMissing === true && !store.has(type.service, call.name)) {
        return creation(type, call.name, call, context);
      }
      const current = find(store, type.service, call.name);
      const shape = shapeIn(type, call.method.api.version);
      checkEtag(call.body.etag, current.body);
      const sent = type.normalise?.(call.body) ?? call.body;
      const paths = changeable(shape, sent, current.body, call.query.updateMask as string | undefined);
      const patched = applyMask(current.body, sent, paths, shape);
      const candidate = { name: call.name, call, context, config: context.config() };
      checkRequired(type, call.method.api.version, patched, true);
      checkLabels(patched);
      type.check?.(patched, candidate);
      type.patching?.(current.body, patched, candidate);
      operations.refuseIfBusy(type.service, call.name);
      const now = clock.timestamp();
      const touched = "updateTime" in shape.fields ? { updateTime: now } : {};
      const after = shownOnly(
        shape,
        { ...patched, ...touched, ...type.changed?.(patched, call.name, now) },
        current.body,
      );
      return { verb: "update", resource: current, during: type.states?.updating, after };
    });
}

/** Removes input-only fields, and keeps stored fields that this API version does not know. */
function shownOnly(shape: Message, after: JsonObject, before: JsonObject): JsonObject {
  const unknown = Object.entries(before).filter(([name]) => !(name in shape.fields));
  return { ...Object.fromEntries(unknown), ...shown(shape, after) };
}

/**
 * The fields that a patch changes. Without a mask, these are all changeable fields. In a mask, output-only fields are ignored
 * (AIP-203), and changed immutable fields are refused.
 */
function changeable(
  shape: Message,
  sent: JsonObject,
  current: JsonObject,
  mask: string | undefined,
): readonly FieldPath[] {
  const named = parseMask(mask, shape);
  const explicit = named !== undefined && mask !== "*";
  return (named ?? Object.keys(shape.fields).map((field): FieldPath => [field])).filter(([name = ""]) => {
    const field = shape.fields[name];
    if (field === undefined || field.outputOnly) {
      return false;
    }
    if (name !== "name" && !field.immutable) {
      return true;
    }
    if (explicit && (name === "name" || !sameJson(sent[name], current[name]))) {
      refuse("update_mask", `Field '${toSnake(name)}' is immutable.`);
    }
    return false;
  });
}

export function deleteHandler(type: ResourceType): Handler {
  return (call, context) => {
    const { store, operations } = context;
    return answered(type, call, context, () => {
      const resource = store.get(type.service, call.name);
      if (resource === undefined && call.query.allowMissing === true) {
        return { verb: "delete", resource: { service: type.service, name: call.name, body: {} }, missing: true };
      }
      const current = find(store, type.service, call.name);
      checkEtag(call.query.etag, current.body);
      operations.refuseIfBusy(type.service, call.name);
      refuseWithChildren(type, call, context);
      return { verb: "delete", resource: current, during: type.states?.deleting };
    });
  };
}

/** A custom method such as `start`, which changes the state of the resource. */
export function actionHandler(type: ResourceType, verb: string, { from, during, after }: Action): Handler {
  return (call, context) =>
    answered(type, call, context, () => {
      const current = find(context.store, type.service, call.name);
      context.operations.refuseIfBusy(type.service, call.name);
      const state = textOf(current.body.state);
      if (from !== undefined && !from.includes(state)) {
        throw failedPrecondition(
          "STATE",
          call.name,
          `Resource '${call.name}' is ${state}: ${verb} needs ${from.join(" or ")}.`,
        );
      }
      const now = context.clock.timestamp();
      return { verb, resource: current, during, after: withFields({ ...current.body, updateTime: now }, after) };
    });
}

/** The planned effect of a call. */
interface Change {
  verb: string;
  /** The current resource; for a create, the new resource. */
  resource: StoredResource;
  /** Fields that show the change while its operation runs. */
  during?: JsonObject;
  /** The body after the update or action. */
  after?: JsonObject;
  /** Deletes a resource that does not exist. */
  missing?: boolean;
}

function answered(type: ResourceType, call: Call, context: Context, plan: () => Change): JsonObject {
  if (!isLongRunning(call)) {
    return direct(type, call, context, plan());
  }
  return once(call, context, () => start(type, call, context, plan()));
}

/** The API returns the resource, or nothing for a delete. The effect is immediate. */
function direct(type: ResourceType, call: Call, { store }: Context, change: Change): JsonObject {
  const { resource, after, verb } = change;
  if (call.operationFailure !== undefined) {
    const { code, message } = call.operationFailure;
    throw ApiError.ofCode(code, message);
  }
  if (verb === "delete") {
    [...store.below(type.service, resource.name), resource.name].forEach((name) => store.remove(type.service, name));
    return {};
  }
  const body = after ?? resource.body;
  store.put({ ...resource, body });
  return shown(shapeIn(type, call.method.api.version), body);
}

function start(type: ResourceType, call: Call, context: Context, change: Change): StoredOperation {
  const { store, operations } = context;
  const { verb, resource, during, after, missing } = change;
  const { version } = call.method.api;
  const common = {
    service: resource.service,
    version,
    verb,
    parent: operationParent(type, resource.name),
    target: resource.name,
  };
  if (call.query.validateOnly === true || missing) {
    const response = succeededResponse(type, version, verb, after ?? resource.body);
    return operations.start({ ...common, durationMs: 0, response });
  }
  const undo = Object.fromEntries(Object.keys(during ?? {}).map((field) => [field, resource.body[field] ?? null]));
  store.put({ ...resource, body: withFields(resource.body, during) });
  return operations.start({
    ...common,
    durationMs: context.config().operationMs,
    failure: call.operationFailure,
    changes: after && mergeDifference(resource.body, after),
    undo,
  });
}

/** The parent of the operations on a resource: the part of its name at the level of the API's operations. */
function operationParent({ apis }: ResourceType, name: string): string {
  const operations = apis
    .flatMap(({ methods }) => Object.entries(methods))
    .find(([id]) => /\.operations\.get$/.test(id));
  const depth = operations === undefined ? 4 : operations[1].path.split("/").length - 2;
  return name.split("/").slice(0, depth).join("/");
}
