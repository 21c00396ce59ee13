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
  /** The resource or parent that the path names, without version and action. */
  readonly name: string;
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
  /** A constant segment after the parent, e.g. `triggers` for create and list. */
  readonly collection?: string;
  readonly query?: Readonly<Record<string, QueryType>>;
  readonly request?: Message;
  /** The shape of the answer: the query parameter `fields` may name its fields only. */
  readonly response: Message;
  /** The permission on the named resource that is checked before the handler runs. */
  readonly permission?: string;
  readonly handler: Handler;
}

/** A type of resource: what a seed of it may hold. */
export interface ResourceType {
  readonly service: Service;
  /** e.g. `projects/{project}/locations/{location}/scopes/{scope}` */
  readonly path: string;
  readonly message: Message;
  /** The output-only fields that the server sets where a seed leaves them out. */
  defaults(name: string, timestamp: string): JsonObject;
  /** Whether each resource has an access policy of its own. */
  readonly policy: boolean;
  /** Whether a seed must have the required fields. Of other types it may leave them out, which keeps seeds short. */
  readonly complete?: boolean;
}

/** What one file of services/ adds to the emulator. */
export interface ServiceModule {
  readonly methods: readonly Method[];
  readonly resourceTypes: readonly ResourceType[];
}
