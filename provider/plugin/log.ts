import type { Client } from "@grpc/grpc-js";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { LONGEST_LOG_LINE, shortened } from "../core/errors";
import type { Reporter } from "../http/call";

/** How long to wait until the engine accepts a message, in milliseconds. A slower engine counts as not listening. */
const LOG_TIMEOUT_MS = 2_000;

/** The client's part of the library, loaded at the first message: most runs send none before the first resource is created. */
// eslint-disable-next-line @typescript-eslint/no-require-imports -- not with import(): a message is sent at once
const loadGrpc = () => require("@grpc/grpc-js") as typeof import("@grpc/grpc-js");

type Level = "INFO" | "WARNING";

/** The engine's log. Messages are only informative: if no engine listens, they are dropped. */
export class EngineLog {
  private client: EngineClient | undefined;
  private readonly underWay = new Set<Promise<boolean>>();
  private readonly saidOnce = new Set<string>();

  /**
   * @param address of the engine, `host:port`; undefined until one attaches.
   * @param scrub removes secrets from a message.
   */
  constructor(
    private address: string | undefined,
    private readonly scrub: (text: string) => string,
  ) {}

  /** Sends the messages to the engine at this address from now on. */
  attach(address: string): void {
    if (address === this.address) return;
    this.close();
    this.address = address;
    this.saidOnce.clear();
  }

  close(): void {
    this.client?.close();
    this.client = undefined;
    this.address = undefined;
  }

  /** Messages about one resource: `status` is progress on its line, which the next one overwrites; the others stay. */
  reporter(urn: string): Reporter {
    return {
      status: (message) => void this.send("INFO", message, urn, true),
      info: (message) => void this.send("INFO", message, urn, false),
      warning: (message) => void this.send("WARNING", message, urn, false),
    };
  }

  /**
   * A message that is shown once, although the engine may repeat the call for each resource. The next call repeats a message
   * that a busy engine did not take.
   */
  infoOnce(urn: string, message: string): void {
    if (this.saidOnce.has(message)) return;
    this.saidOnce.add(message);
    void this.send("INFO", message, urn, false).then((isReceived) => {
      if (!isReceived) this.saidOnce.delete(message);
    });
  }

  /** Resolves when the engine has received every message so far. A message must arrive before the response of its call. */
  async flushed(): Promise<void> {
    await Promise.all(this.underWay);
  }

  /** @returns whether the engine received the message. */
  private send(level: Level, message: string, urn: string, ephemeral: boolean): Promise<boolean> {
    if (this.address === undefined) return Promise.resolve(false);
    this.client ??= new EngineClient(this.address);
    const request = new LogRequest()
      .setSeverity(LogSeverity[level])
      .setMessage(shortened(this.scrub(message), LONGEST_LOG_LINE))
      .setUrn(urn)
      .setEphemeral(ephemeral);
    const delivery = this.client.log(request, LOG_TIMEOUT_MS);
    this.underWay.add(delivery);
    void delivery.then(() => this.underWay.delete(delivery));
    return delivery;
  }
}

/**
 * The engine's `Log`, without `@pulumi/pulumi/proto/engine_grpc_pb`, whose services are declared by the part of the gRPC
 * library that the plugin leaves out (tools/build-plugin.ts).
 */
class EngineClient {
  private readonly grpc = loadGrpc();
  private readonly client: Client;

  /** @param address of the engine, `host:port` */
  constructor(address: string) {
    this.client = new this.grpc.Client(address, this.grpc.credentials.createInsecure());
  }

  /**
   * Resolves when the engine has received the message, has failed to, or the time is over.
   *
   * @param patience milliseconds
   * @returns whether the engine received it.
   */
  log(message: LogRequest, patience: number): Promise<boolean> {
    return new Promise((resolve) => {
      this.client.makeUnaryRequest<LogRequest, void>(
        "/pulumirpc.Engine/Log",
        (request) => Buffer.from(request.serializeBinary()),
        () => {},
        message,
        new this.grpc.Metadata(),
        { deadline: Date.now() + patience },
        (error) => resolve(error === null),
      );
    });
  }

  close(): void {
    this.client.close();
  }
}
