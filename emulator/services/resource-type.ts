import type { StoredResource } from "../state/store";
import type { Call, Context, Handler } from "./method";
import type { Config } from "../base/config";
import { merged, type Api, type Service } from "../base/api";
import type { JsonObject } from "../base/json";
import type { Message } from "../base/schema";

/** One type of resource: all that its methods and its life need to know. Its methods are those of the documents. */
export interface ResourceDeclaration {
  /** As in the discovery document, e.g. `projects.locations.triggers`. */
  readonly collection: string;
  /** Its schema in the discovery document, e.g. `Trigger`. */
  readonly schema: string;
  /** Start of its permissions, e.g. `eventarc.triggers`. */
  readonly permissions: string;
  /** What the server sets when it is made; also where a seed leaves it out. */
  defaults(name: string, timestamp: string): JsonObject;
  /** What the state shows while an operation runs and after it; merge patches of the body. */
  readonly states?: States;
  /** Sets other fields with every change, e.g. an etag. */
  changed?(body: JsonObject, name: string, timestamp: string): JsonObject;
  /** The form in which a body is stored, e.g. references as relative names. */
  normalise?(body: JsonObject): JsonObject;
  /** Checks what it would hold after a create or a patch. @throws ApiError */
  check?(body: JsonObject, candidate: Candidate): void;
  /** Checks that only a create makes; the fields that the server sets besides the defaults. @throws ApiError */
  creating?(body: JsonObject, candidate: Candidate): JsonObject;
  /** Checks that only a patch makes. @throws ApiError */
  patching?(before: JsonObject, after: JsonObject, candidate: Candidate): void;
  /** The wanted form of an id, and words for it. */
  readonly id?: { readonly form: RegExp; readonly words: string };
  /** Makes an id where a create names none; without it, an id is required. */
  newId?(): string;
  /** Checks the location of a call. @throws ApiError */
  checkLocation?(location: string): void;
  /** What deleting it does to the resources below it. @default "refused" */
  readonly children?: "deleted" | "refused";
  /** Fields of the body that the response of its operations leaves out. */
  readonly unanswered?: readonly string[];
  /** The response of a delete's operation, made of the body. @default google.protobuf.Empty */
  deleted?(body: JsonObject): JsonObject;
  /** Fields that follow from other resources, added to each answer. */
  derived?(resource: StoredResource, context: Context): JsonObject;
  /** Custom methods that start an operation, e.g. `start`. */
  readonly actions?: Readonly<Record<string, Action>>;
  /** Custom methods that start no operation, e.g. `listMemberships`. */
  readonly methods?: Readonly<Record<string, Served>>;
  /** A seed must carry the required fields; elsewhere they may be left out, to keep seeds short. */
  readonly completeSeeds?: boolean;
}

/** A type of resource and its API. */
export interface ResourceType extends ResourceDeclaration {
  readonly service: Service;
  /** The API in each version, the one that Perimeter uses first. */
  readonly apis: readonly Api[];
}

/** One API as the emulator serves it: its versions, the one that Perimeter uses first, and its types of resources. */
export interface ServedApi {
  readonly title: string;
  readonly versions: readonly Api[];
  readonly types: readonly ResourceType[];
}

/** @param versions at least one, the one that Perimeter uses first */
export function serve(versions: readonly [Api, ...Api[]], types: readonly ResourceDeclaration[]): ServedApi {
  const [{ service, notes }] = versions;
  return { title: notes.title, versions, types: types.map((type) => ({ ...type, service, apis: versions })) };
}

/** What answers a method, and the permission that it needs. */
export interface Served {
  readonly handler: Handler;
  /** Last part of the permission; without it, none is needed. */
  readonly permission?: string;
}

export interface States {
  readonly creating?: JsonObject;
  readonly updating?: JsonObject;
  readonly deleting?: JsonObject;
  /** After an update, besides what the update set. */
  updated?(body: JsonObject): JsonObject;
  /** After a create that failed and left the resource (`keepResource`). */
  readonly failed?: JsonObject;
}

export interface Action {
  /** States that it starts from. */
  readonly from?: readonly string[];
  readonly during?: JsonObject;
  readonly after?: JsonObject;
}

/** A resource that is about to be created or changed. */
export interface Candidate {
  readonly name: string;
  readonly call: Call;
  readonly context: Context;
  readonly config: Config;
}

/** The last segment of a resource name. */
export function idOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** e.g. `triggers` */
export function collectionId(type: ResourceType): string {
  return type.collection.slice(type.collection.lastIndexOf(".") + 1);
}

/** e.g. `projects/{project}/locations/{location}/triggers/{trigger}` */
export function pathOf(type: ResourceType): string {
  return type.apis[0]?.methods[`${type.collection}.get`]?.path ?? "";
}

/** The shape of the resource in one version of its API. @throws Error if the version does not serve it */
export function shapeIn(type: ResourceType, version: string): Message {
  const api = type.apis.find((each) => each.version === version);
  if (api === undefined) {
    throw new Error(`${type.permissions} is not served in ${version}`);
  }
  return api.message(type.schema);
}

/** Whether each resource has an access policy of its own. */
export function hasPolicy(type: ResourceType): boolean {
  return type.apis.some((api) => `${type.collection}.setIamPolicy` in api.methods);
}

const shapes = new WeakMap<ResourceType, Message>();

/** The fields of all versions: what is stored. */
export function storedShape(type: ResourceType): Message {
  const known = shapes.get(type) ?? merged(type.apis.map((api) => api.message(type.schema)));
  shapes.set(type, known);
  return known;
}

const forms = new Map<string, RegExp>();

/** Whether a resource name has the form of a path such as `projects/{project}/locations/{location}/scopes/{scope}`. */
function fits(path: string, name: string): boolean {
  const form = forms.get(path) ?? new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
  forms.set(path, form);
  return form.test(name);
}

/** The type that a resource of this name is of. */
export function findResourceType(
  resourceTypes: readonly ResourceType[],
  service: Service,
  name: string,
): ResourceType | undefined {
  return resourceTypes.find((type) => type.service === service && fits(pathOf(type), name));
}
