import { setTimeout } from "node:timers/promises";
import type { Environment } from "../core/config/environment";
import { once } from "../core/once";
import { CallsInFlight } from "./calls-in-flight";
import { Server, ServerCredentials } from "./grpc";
import { service } from "./service";
import { serviceDefinition } from "./service-definition";
import type { Session } from "./session";

export interface RunningPlugin {
  port: number;
  /**
   * Loads what the engine's calls need; without this, the first call does it. To be called when the engine has the port, so
   * that the plugin loads while the engine connects.
   */
  warmUp(): void;
  /** Stops the calls in flight, lets them answer, and closes the server. */
  stop(): Promise<void>;
  /** Stops the calls in flight, for a process that exits next: the engine is gone, and nobody waits for answers. */
  abandon(): void;
}

export interface PluginOptions {
  /** `host:port` of the engine that started this process; absent where a person started it, to debug. */
  engineAddress?: string;
  environment: Environment;
}

/** How long calls that were told to stop may take until they answer, in milliseconds. */
const LAST_WORDS_MS = 2_000;
/** How long their answers may take to leave, in milliseconds. */
const LEAVING_MS = 100;

/** Serves one engine on a free port of this machine. */
export async function startPlugin({ engineAddress, environment }: PluginOptions): Promise<RunningPlugin> {
  const inFlight = new CallsInFlight();
  let session: Session | undefined;
  const onResources = once(() => import("./resource-calls.js"));
  const load = once(async () => {
    // An engine waits until all plugins of the program have told their ports, and then until all are configured.
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
    warmUp: () => void load(),
    abandon: () => session?.end(),
    stop: async () => {
      session?.end();
      await Promise.race([inFlight.answered(), setTimeout(LAST_WORDS_MS, undefined, { ref: false })]);
      // The library's shutdown never ends where the engine closes a connection at the same moment.
      const closed = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      await Promise.race([closed, setTimeout(LEAVING_MS)]);
      server.forceShutdown();
      session?.log.close();
    },
  };
}
