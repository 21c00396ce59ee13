import { setTimeout as sleep } from "node:timers/promises";
import type { sendUnaryData, ServerUnaryCall } from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import {
  ResourceProviderService,
  type IResourceProviderServer,
  type IResourceProviderService,
} from "@pulumi/pulumi/proto/provider_grpc_pb";
import {
  CheckRequest,
  ConfigureRequest,
  CreateRequest,
  DeleteRequest,
  DiffRequest,
  GetSchemaResponse,
  InvokeRequest,
  ListRequest,
  ProviderHandshakeResponse,
  ReadRequest,
  UpdateRequest,
  type ListResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { PACKAGE_NAME } from "../core/definition";
import type { Environment } from "../core/environment";
import { once } from "../core/once";
import { packageSchemaText, VERSION } from "../version";
import type * as engineCalls from "./engine-calls";
import { serviceError } from "./errors";
import { Server, ServerCredentials, status } from "./grpc";
import type * as resourceCalls from "./resources";
import type { Session } from "./session";
import { StructReader } from "./struct";

export interface RunningPlugin {
  port: number;
  /**
   * Loads the modules for the engine's calls; otherwise the first call loads them. Call it after the engine has the port, so
   * that the plugin loads while the engine connects.
   */
  warmUp(): void;
  /** Stops the calls in flight, waits for their responses, and closes the server. */
  stop(): Promise<void>;
  /** Stops the calls in flight before the process exits: the engine is gone, and needs no responses. */
  abandon(): void;
}

export interface PluginOptions {
  /** `host:port` of the engine that started this process; absent if a person started it for debugging. */
  engineAddress?: string;
  environment: Environment;
}

/** How long stopped calls may take to respond, in milliseconds. */
const STOP_TIMEOUT_MS = 2_000;
/** How long sending their responses may take, in milliseconds. */
const LEAVING_MS = 100;

/** Serves one engine on a free port of this machine. */
export async function startPlugin({ engineAddress, environment }: PluginOptions): Promise<RunningPlugin> {
  const inFlight = new CallsInFlight();
  let session: Session | undefined;
  const onResources = once(() => import("./resources.js"));
  const load = once(async () => {
    // An engine waits until all plugins of the program have reported their ports, and then until all are configured.
    const calls = await import("./engine-calls.js");
    session = calls.openSession({ engineAddress, environment });
    return { calls, session, onResources };
  });
  const server = new Server({
    // Statistics of each call, which nobody can ask this server for.
    "grpc.enable_channelz": 0,
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
  });
  server.addService(serviceDefinition, service(load, inFlight));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("ipv4:127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    port,
    // After a failure, the first call tries again, and reports it.
    warmUp: () => void load().catch(() => undefined),
    abandon: () => session?.cancel(),
    stop: async () => {
      session?.cancel();
      const said = Promise.all([inFlight.answered(), session?.log.flushed()]);
      await Promise.race([said, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
      // The library's shutdown never ends if the engine closes a connection at the same time.
      const closed = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      await Promise.race([closed, sleep(LEAVING_MS)]);
      server.forceShutdown();
      session?.log.close();
    },
  };
}

/** The calls that are not answered yet. Exported for a test. */
export class CallsInFlight {
  private readonly calls = new Set<Promise<void>>();

  /** Counts a call until it is answered. */
  async add(call: Promise<void>): Promise<void> {
    this.calls.add(call);
    try {
      await call;
    } finally {
      this.calls.delete(call);
    }
  }

  /** Resolves when all calls that are in flight now are answered. */
  async answered(): Promise<void> {
    await Promise.allSettled(this.calls);
  }
}

/** Modules that the process loads after it has reported its port to the engine. */
interface LoadedCalls {
  calls: typeof engineCalls;
  session: Session;
  /** Loads the calls on resources at the first call. */
  onResources(): Promise<typeof resourceCalls>;
}

type Run<Request, Response> = (request: Request, loaded: LoadedCalls) => Response | Promise<Response>;

/** Milliseconds until a response has left the process. */
const AFTER_ANSWER_MS = 5;

/** Pulumi's `ResourceProvider`: maps each call to a function. */
function service(load: () => Promise<LoadedCalls>, inFlight: CallsInFlight): IResourceProviderServer {
  const answering = <Request, Response>(run: Run<Request, Response>) => {
    const answer = answerer(load, run);
    return (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>) =>
      void inFlight.add(answer(call, callback));
  };
  const cancel = answerer<Empty, Empty>(load, (_request, { session }) => {
    session.cancel();
    return new Empty();
  });
  return {
    handshake: answering((request, { session }) => {
      if (request.getEngineAddress() !== "") session.log.attach(request.getEngineAddress());
      return new ProviderHandshakeResponse().setAcceptSecrets(true).setAcceptResources(true).setAcceptOutputs(true);
    }),
    getPluginInfo: answering(() => new PluginInfo().setVersion(VERSION)),
    attach: answering((request, { session }) => {
      session.log.attach(request.getAddress());
      return new Empty();
    }),
    getSchema: answering(() => new GetSchemaResponse().setSchema(packageSchemaText())),
    checkConfig: answering((request, { calls, session }) => calls.checkConfig(request, session)),
    diffConfig: answering((request, { calls, session }) => calls.diffConfig(request, session)),
    configure: answering((request, { calls, session, onResources }) => {
      const response = calls.configure(request, session);
      // Loads while the engine waits for the program's first resource, not for this response.
      const prepare = async () => {
        await onResources();
        session.provider().warmUp();
      };
      // After a failure, the first call on a resource tries again, and reports it.
      setTimeout(() => void prepare().catch(() => undefined), AFTER_ANSWER_MS).unref();
      return response;
    }),
    check: answering(async (request, { onResources, session }) => (await onResources()).check(request, session)),
    diff: answering(async (request, { onResources, session }) => (await onResources()).diff(request, session)),
    create: answering(async (request, { onResources, session }) => (await onResources()).create(request, session)),
    read: answering(async (request, { onResources, session }) => (await onResources()).read(request, session)),
    update: answering(async (request, { onResources, session }) => (await onResources()).update(request, session)),
    delete: answering(async (request, { onResources, session }) => {
      await (await onResources()).remove(request, session);
      return new Empty();
    }),
    invoke: answering(async (request, { onResources, session }) => (await onResources()).invoke(request, session)),
    // Not counted as a call in flight, because it stops these.
    cancel: (call, callback) => void cancel(call, callback),
    call: refusing("has no methods to call"),
    construct: refusing("has no component resources"),
    parameterize: refusing("takes no parameters"),
    getMapping: refusing("has no mapping from other ecosystems"),
    getMappings: refusing("has no mapping from other ecosystems"),
    list: (call) =>
      void inFlight.add(
        answerer<ListRequest, ListResponse[]>(load, async (request, { onResources, session }) =>
          (await onResources()).list(request, session),
        )(call, (error, responses) => {
          if (error) return void call.emit("error", error);
          for (const response of responses ?? []) call.write(response);
          call.end();
        }),
      ),
  };
}

function answerer<Request, Response>(load: () => Promise<LoadedCalls>, run: Run<Request, Response>) {
  return async ({ request }: { request: Request }, callback: sendUnaryData<Response>): Promise<void> => {
    let session: Session | undefined;
    try {
      const loaded = await load();
      ({ session } = loaded);
      const response = await run(request, loaded);
      await session.log.flushed();
      callback(null, response);
    } catch (error) {
      await session?.log.flushed();
      // Where the code cannot be loaded, no call has been read, so no secrets are known.
      callback(serviceError(error, session?.knownSecrets.scrub ?? ((text) => text)));
    }
  };
}

function refusing(why: string) {
  return (_call: unknown, callback: (error: NotImplemented) => void) => callback(new NotImplemented(why));
}

/** Reports that the provider lacks a method: the engine continues without it. */
class NotImplemented extends Error {
  readonly code = status.UNIMPLEMENTED;
  readonly details: string;

  constructor(why: string) {
    super(`The ${PACKAGE_NAME} provider ${why}`);
    this.details = this.message;
  }
}

/** Pulumi's `ResourceProvider`; its requests keep every property of their Structs. */
export const serviceDefinition: IResourceProviderService = {
  ...ResourceProviderService,
  checkConfig: { ...ResourceProviderService.checkConfig, requestDeserialize: reading(CheckRequest) },
  diffConfig: { ...ResourceProviderService.diffConfig, requestDeserialize: reading(DiffRequest) },
  configure: { ...ResourceProviderService.configure, requestDeserialize: reading(ConfigureRequest) },
  check: { ...ResourceProviderService.check, requestDeserialize: reading(CheckRequest) },
  diff: { ...ResourceProviderService.diff, requestDeserialize: reading(DiffRequest) },
  create: { ...ResourceProviderService.create, requestDeserialize: reading(CreateRequest) },
  read: { ...ResourceProviderService.read, requestDeserialize: reading(ReadRequest) },
  update: { ...ResourceProviderService.update, requestDeserialize: reading(UpdateRequest) },
  delete: { ...ResourceProviderService.delete, requestDeserialize: reading(DeleteRequest) },
  invoke: { ...ResourceProviderService.invoke, requestDeserialize: reading(InvokeRequest) },
  list: { ...ResourceProviderService.list, requestDeserialize: reading(ListRequest) },
};

interface RequestType<Request> {
  new (): Request;
  deserializeBinaryFromReader(request: Request, reader: StructReader): Request;
}

function reading<Request>(type: RequestType<Request>): (bytes: Buffer) => Request {
  return (bytes) => type.deserializeBinaryFromReader(new type(), new StructReader(new Uint8Array(bytes)));
}
