import type { Clock } from "./state/clock";
import type { Config, Service } from "./control/config";
import type { JsonObject } from "./messages/json";
import type { Operations } from "./state/operations";
import type { QueryType, QueryValues } from "./http/query";
import type { Message } from "./messages/schema";
import type { OperationFailure, Store } from "./state/store";
import type { TokenRegistry } from "./auth/tokens";
import type { WriteLimits } from "./iam/write-limits";

/** What a handler may use. `config` is read at each call, because a control request can change it. */
export interface Context {
  readonly store: Store;
  readonly clock: Clock;
  readonly operations: Operations;
  readonly tokens: TokenRegistry;
  readonly guards: WriteLimits;
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
  /** A fault asked for the state before the last write. */
  readonly stale: boolean;
  /** A fault asked for the operation of this call to fail. */
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
  /** Shape of the answer, where enums occur in it. */
  readonly response?: Message;
  /** Checked on the named resource before the handler runs. */
  readonly permission?: string;
  readonly handler: Handler;
}

/** A type of resource that can be seeded. */
export interface Kind {
  readonly service: Service;
  /** e.g. `projects/{project}/locations/{location}/scopes/{scope}` */
  readonly path: string;
  readonly message: Message;
  /** Output-only fields that a seed may leave to the server. */
  defaults(name: string, timestamp: string): JsonObject;
  /** Has an access policy of its own. */
  readonly policy: boolean;
  /** A seed must carry the required fields; elsewhere they may be left out, to keep seeds short. */
  readonly complete?: boolean;
}

/** All that one service file contributes. */
export interface ServiceModule {
  readonly methods: readonly Method[];
  readonly kinds: readonly Kind[];
}
