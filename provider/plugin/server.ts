import { setTimeout } from "node:timers/promises";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import type { Environment } from "../core/config/resolve";
import { service } from "./service";
import { serviceDefinition } from "./service-definition";
import { Session } from "./session";

export interface RunningPlugin {
  port: number;
  /** Fails the calls in flight, lets them answer, and ends. */
  stop(): Promise<void>;
  /** Fails the calls in flight, and leaves the rest to the end of the process: nobody waits for the answers any more. */
  abandon(): void;
}

export interface PluginOptions {
  /** `host:port` of the engine that started us; absent when a person did, to debug. */
  engineAddress?: string;
  environment: Environment;
}

/** How long calls that were told to stop may take to say so. */
const LAST_WORDS_MS = 2_000;
/** How long their answers may take to leave. */
const LEAVING_MS = 100;

/** Serves one engine on a free port of this machine. */
export async function startPlugin({ engineAddress, environment }: PluginOptions): Promise<RunningPlugin> {
  const session = new Session(engineAddress, environment);
  const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
  server.addService(serviceDefinition, service(session));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    port,
    abandon: () => session.end(),
    stop: async () => {
      session.end();
      await Promise.race([session.answered(), setTimeout(LAST_WORDS_MS, undefined, { ref: false })]);
      // The library waits for ever where the engine closes a connection at the same moment.
      const closed = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      await Promise.race([closed, setTimeout(LEAVING_MS)]);
      server.forceShutdown();
      session.log.close();
    },
  };
}
