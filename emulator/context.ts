import type { Clock } from "./state/clock";
import type { Config, Service } from "./control/config";
import type { JsonObject } from "./messages/json";
import type { Operations } from "./state/operations";
import type { QueryType, QueryValues } from "./http/query";
import type { Message } from "./messages/schema";
import type { OperationFailure, Store } from "./state/store";
import type { TokenRegistry } from "./auth/tokens";
import type { WriteLimits } from "./iam/write-limits";

/** What a handler works with. `config` is a function because a control request can change the switches. */
export interface Context {
  readonly store: Store;
  readonly clock: Clock;
  readonly operations: Operations;
  readonly tokens: TokenRegistry;
  readonly writeLimits: WriteLimits;
  readonly config: () => Config;
}

/** One API call after routing and decoding. */
export interface Call {
  readonly method: Method;
  /** The APIs that may be meant: several where their paths collide and nothing told them apart. */
  readonly services: readonly Service[];
  /** The resource or parent that the path names, without version and action. */
  readonly name: string;
  /** Empty where the path names an organization. */
  readonly project: string;
  /** Empty where the path has none. */
  readonly location: string;
  readonly query: QueryValues;
  readonly body: JsonObject;
  /** The fault `staleRead`: answer with the state before the last write. */
  readonly stale: boolean;
  /** The fault `operationError`: how the operation that this call starts fails. */
  readonly operationFailure?: OperationFailure;
}

export type Handler = (call: Call, context: Context) => JsonObject;

/** One method of an API, as its discovery document describes it. */
export interface Method {
  /** e.g. `networksecurity.projects.locations.firewallEndpointAssociations.create` */
  readonly id: string;
  readonly service: Service | "iamcredentials";
  readonly verb: "GET" | "POST" | "PATCH" | "DELETE";
  readonly version: string;
  /** e.g. `projects/{project}/locations/{location}/scopes/{scope}`: each `{…}` is one segment. */
  readonly path: string;
  /** The custom verb after the colon, e.g. `getIamPolicy`. */
  readonly action?: string;
  /** A constant segment after the parent, e.g. `triggers` for create and list; `path` is the parent's. */
  readonly collection?: string;
  readonly query?: Readonly<Record<string, QueryType>>;
  readonly request?: Message;
  /** The shape of the answer: the query parameter `fields` may name its fields only. */
  readonly response: Message;
  /** The permission on the named resource that is checked before the handler runs. */
  readonly permission?: string;
  readonly handler: Handler;
}
