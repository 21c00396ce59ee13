import type { Permissions } from "../auth/permissions";
import type { TokenRegistry } from "../auth/tokens";
import type { Api, QueryType, QueryValues, Service } from "../base/api";
import type { Config } from "../base/config";
import type { JsonObject } from "../base/json";
import type { Message } from "../base/schema";
import type { WriteLimits } from "../iam/write-limits";
import type { Clock } from "../state/clock";
import type { Operations } from "../state/operations";
import type { OperationFailure, Store } from "../state/store";

/** The dependencies of a handler. `config` is a function because a control request can change the switches. */
export interface Context {
  readonly store: Store;
  readonly clock: Clock;
  readonly operations: Operations;
  readonly permissions: Permissions;
  readonly tokens: TokenRegistry;
  readonly writeLimits: WriteLimits;
  readonly config: () => Config;
  readonly apiOf: (service: Service, version: string) => Api;
}

/** An API call after routing and decoding. */
export interface Call {
  readonly method: Method;
  /** The possible APIs: several if they share a path and the request does not select one. */
  readonly services: readonly Service[];
  /** The resource or parent in the path, without version and action. */
  readonly name: string;
  /** Empty if the path names an organization. */
  readonly project: string;
  /** Empty if the path has no location. */
  readonly location: string;
  readonly query: QueryValues;
  readonly body: JsonObject;
  /** The fault `staleRead`: return the state before the last write. */
  readonly stale: boolean;
  /** The fault `operationError`: the error of the operation that this call starts. */
  readonly operationFailure?: OperationFailure;
}

export type Handler = (call: Call, context: Context) => JsonObject;

/** A method of an API, as its discovery document describes it. */
export interface Method {
  /** e.g. `networksecurity.projects.locations.firewallEndpointAssociations.create` */
  readonly id: string;
  readonly api: { readonly service: Service | "iamcredentials" } & Pick<Api, "version" | "notes">;
  readonly verb: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** e.g. `projects/{project}/locations/{location}/scopes/{scope}`: each `{…}` is one segment. */
  readonly path: string;
  /** The custom verb after the colon, e.g. `getIamPolicy`. */
  readonly action?: string;
  /** A fixed segment after the parent, e.g. `triggers` for create and list. `path` is then the path of the parent. */
  readonly collection?: string;
  readonly query?: Readonly<Record<string, QueryType>>;
  readonly request?: Message;
  /** The message of the response. The query parameter `fields` may name its fields only. */
  readonly response: Message;
  /** The permission on the resource in the path that is checked before the handler runs. */
  readonly permission?: string;
  readonly handler: Handler;
}

/** A method as the discovery document describes it: path, query and messages. @param id without the API's name */
export function described(api: Api, id: string, handler: Handler, permission?: string): Method {
  const description = api.methods[id];
  if (description === undefined) {
    throw new Error(`${api.service} ${api.version} has no method ${id}`);
  }
  const { verb, path, action, query, request, response } = description;
  const slash = path.lastIndexOf("/");
  const inCollection = !path.endsWith("}");
  return {
    id: `${api.service}.${id}`,
    api,
    verb,
    path: inCollection ? path.slice(0, Math.max(slash, 0)) : path,
    ...(inCollection && { collection: path.slice(slash + 1) }),
    ...(action !== undefined && { action }),
    ...(query && { query }),
    // Messages are built on first use, because hundreds of them would delay the start.
    get request() {
      return request === undefined ? undefined : api.message(request);
    },
    get response() {
      return api.message(response);
    },
    ...(permission !== undefined && { permission }),
    handler,
  };
}
