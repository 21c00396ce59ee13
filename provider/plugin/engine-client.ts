import { Client, credentials, Metadata } from "@grpc/grpc-js";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";

/**
 * The engine's `Log`, without `@pulumi/pulumi/proto/engine_grpc_pb`, whose services are declared by the part of the gRPC
 * library that the plugin leaves out (tools/build-plugin.ts).
 */
export class EngineClient {
  private readonly client: Client;

  /** @param address of the engine, `host:port` */
  constructor(address: string) {
    this.client = new Client(address, credentials.createInsecure());
  }

  /**
   * Resolves when the engine has received the message, has failed to, or the time is over.
   *
   * @param patience milliseconds
   */
  log(message: LogRequest, patience: number): Promise<void> {
    return new Promise((resolve) => {
      this.client.makeUnaryRequest<LogRequest, void>(
        "/pulumirpc.Engine/Log",
        (request) => Buffer.from(request.serializeBinary()),
        () => {},
        message,
        new Metadata(),
        { deadline: Date.now() + patience },
        () => resolve(),
      );
    });
  }

  close(): void {
    this.client.close();
  }
}
