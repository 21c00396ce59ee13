import type { StoredResource } from "../state/store";
import type { Call, Context, Handler } from "./method";
import type { Config } from "../base/config";
import { merged, type Api, type Service } from "../base/api";
import type { JsonObject } from "../base/json";
import { namePattern } from "../base/name-pattern";
import type { PolicyForm } from "../base/policy-kinds";
import type { Message } from "../base/schema";

/** The definition of a resource type for its methods and its lifecycle. The discovery documents define the methods. */
export interface ResourceDeclaration {
  /** The collection in the discovery document, e.g. `projects.locations.triggers`. */
  readonly collection: string;
  /** The schema in the discovery document, e.g. `Trigger`. */
  readonly schema: string;
  /** The prefix of the permissions, e.g. `eventarc.triggers`. */
  readonly permissions: string;
  /** The fields that the server sets at creation, or if a seed omits them. */
  defaults(name: string, timestamp: string): JsonObject;
  /** The state during and after an operation, as merge patches of the body. */
  readonly states?: States;
  /** Sets further fields with every change, e.g. an etag. */
  changed?(body: JsonObject, name: string, timestamp: string): JsonObject;
  /** Normalizes a body for storage, e.g. references to relative names. */
  normalise?(body: JsonObject): JsonObject;
  /** Checks the body after a create or a patch. @throws ApiError */
  check?(body: JsonObject, candidate: Candidate): void;
  /** Further checks of a create. Returns fields that the server sets besides the defaults. @throws ApiError */
  creating?(body: JsonObject, candidate: Candidate): JsonObject;
  /** Further checks of a patch. @throws ApiError */
  patching?(before: JsonObject, after: JsonObject, candidate: Candidate): void;
  /** The pattern of an id, and its description. */
  readonly id?: { readonly form: RegExp; readonly words: string };
  /** Generates an id if a create has none. Without this function, an id is required. */
  newId?(): string;
  /** Checks the location of a call. @throws ApiError */
  checkLocation?(location: string): void;
  /** The effect of a delete on the resource's children. @default "refused" */
  readonly children?: "deleted" | "refused";
  /** Fields of the body that are omitted in the response of operations. */
  readonly unanswered?: readonly string[];
  /** Makes the response of a delete operation from the body. @default google.protobuf.Empty */
  deleted?(body: JsonObject): JsonObject;
  /** Fields that are derived from other resources and added to each response. */
  derived?(resource: StoredResource, context: Context): JsonObject;
  /** Custom methods that start an operation, e.g. `start`. */
  readonly actions?: Readonly<Record<string, Action>>;
  /** Custom methods that start no operation, e.g. `listMemberships`. */
  readonly methods?: Readonly<Record<string, Served>>;
  /** Whether a resource of this name exists, with the defaults, without a create or a seed. @default no */
  existsUnstored?(name: string, context: Pick<Context, "config" | "store">): boolean;
  /** Whether a seed must have the required fields. Other types may omit them, to keep seeds short. */
  readonly completeSeeds?: boolean;
}

/** A type of resource and its API. */
export interface ResourceType extends ResourceDeclaration {
  readonly service: Service;
  /** The versions of the API. The version that Perimeter uses is first. */
  readonly apis: readonly Api[];
  /** e.g. `projects/{project}/locations/{location}/triggers/{trigger}` */
  readonly path: string;
  /** How the API reads and writes policies. @default `get` */
  readonly policyForm?: PolicyForm;
}

/** An API of the emulator: its versions and resource types. The version that Perimeter uses is first. */
export interface ServedApi {
  readonly title: string;
  readonly versions: readonly Api[];
  readonly types: readonly ResourceType[];
}

/** @param versions at least one. The version that Perimeter uses is first */
export function serve(versions: readonly [Api, ...Api[]], types: readonly ResourceDeclaration[]): ServedApi {
  const [{ service, notes }] = versions;
  const pathOf = ({ collection }: ResourceDeclaration) => versions[0].methods[`${collection}.get`]?.path ?? "";
  const served = types.map((type) => ({ ...type, service, apis: versions, path: pathOf(type) }));
  return { title: notes.title, versions, types: served };
}

/** The handler of a method, and the permission that it needs. */
export interface Served {
  readonly handler: Handler;
  /** The last part of the permission. Without it, no permission is needed. */
  readonly permission?: string;
}

export interface States {
  readonly creating?: JsonObject;
  readonly updating?: JsonObject;
  readonly deleting?: JsonObject;
  /** After an update, in addition to its changes. */
  updated?(body: JsonObject): JsonObject;
  /** After a failed create that keeps the resource (`keepResource`). */
  readonly failed?: JsonObject;
}

export interface Action {
  /** The states in which the action is allowed. */
  readonly from?: readonly string[];
  readonly during?: JsonObject;
  readonly after?: JsonObject;
}

/** A resource before its create or change. */
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

/** The shape of the resource in one version of its API. @throws Error if the version does not serve it */
export function shapeIn(type: ResourceType, version: string): Message {
  const api = type.apis.find((each) => each.version === version);
  if (api === undefined) {
    throw new Error(`${type.permissions} is not served in ${version}`);
  }
  return api.message(type.schema);
}

/** Whether the resources have access policies. */
export function hasPolicy(type: ResourceType): boolean {
  return type.policyForm !== undefined || type.apis.some((api) => `${type.collection}.setIamPolicy` in api.methods);
}

const shapes = new WeakMap<ResourceType, Message>();

/** The fields of all versions, for storage. */
export function storedShape(type: ResourceType): Message {
  const known = shapes.get(type) ?? merged(type.apis.map((api) => api.message(type.schema)));
  shapes.set(type, known);
  return known;
}

/** The type of the resource with this name. */
export function findResourceType(
  resourceTypes: readonly ResourceType[],
  service: Service,
  name: string,
): ResourceType | undefined {
  return resourceTypes.find((type) => type.service === service && namePattern(type.path).test(name));
}
