import { setTimeout } from "node:timers/promises";
import type { Environment } from "../core/environment";
import { once } from "../core/once";
import { CallsInFlight } from "./calls-in-flight";
import { Server, ServerCredentials } from "./grpc";
import { service, serviceDefinition } from "./service";
import type { Session } from "./session";

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
const LAST_WORDS_MS = 2_000;
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
    session = calls.openSession({ engineAddress, environment, inFlight });
    return { calls, session, onResources };
  });
  const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
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
    abandon: () => session?.end(),
    stop: async () => {
      session?.end();
      const said = Promise.all([inFlight.answered(), session?.log.flushed()]);
      await Promise.race([said, setTimeout(LAST_WORDS_MS, undefined, { ref: false })]);
      // The library's shutdown never ends if the engine closes a connection at the same time.
      const closed = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      await Promise.race([closed, setTimeout(LEAVING_MS)]);
      server.forceShutdown();
      session?.log.close();
    },
  };
}
