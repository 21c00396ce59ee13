import { Server, ServerCredentials } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogSeverity, type LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";

interface LogLine {
  severity: string;
  message: string;
  urn: string;
  ephemeral: boolean;
}

/** The part of an engine that plugins talk to: the log, to which progress goes too. One serves any number of plugins. */
export class EngineLogServer {
  readonly lines: LogLine[] = [];
  /** The number of messages that it refuses, from now on. */
  refusing = 0;
  address = "";
  private readonly server = new Server();

  static async start(): Promise<EngineLogServer> {
    const engine = new EngineLogServer();
    engine.server.addService(EngineService, {
      log: ({ request }: { request: LogRequest }, callback: (error: Error | null, response: Empty) => void) => {
        if (engine.refusing > 0) {
          engine.refusing -= 1;
          return callback(new Error("busy"), new Empty());
        }
        const [severity] = Object.entries(LogSeverity).find(([, value]) => value === request.getSeverity()) ?? [""];
        const [message, urn, ephemeral] = [request.getMessage(), request.getUrn(), request.getEphemeral()];
        engine.lines.push({ severity, message, urn, ephemeral });
        callback(null, new Empty());
      },
    });
    const port = await new Promise<number>((resolve, reject) =>
      engine.server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
    engine.address = `127.0.0.1:${port}`;
    return engine;
  }

  stop(): void {
    this.server.forceShutdown();
  }
}
