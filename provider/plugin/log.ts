import { credentials, Metadata } from "@grpc/grpc-js";
import type { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { Reporter } from "../http/call";
import { lazy } from "./lazy";

type Level = "INFO" | "WARNING";

/** An engine that does not take a message within this time is not listening. */
const PATIENCE_MS = 2_000;

/** The engine's log. Messages to an engine that is gone, or that none listens to, are dropped: they are only news. */
export class EngineLog {
  private client: EngineClient | undefined;
  private readonly underWay = new Set<Promise<void>>();

  /** @param scrub takes what is secret out of a message. */
  constructor(
    private address: string | undefined,
    private readonly scrub: (text: string) => string,
  ) {}

  /** The engine that messages go to from now on. */
  attach(address: string): void {
    if (address === this.address) return;
    this.close();
    this.address = address;
  }

  close(): void {
    this.client?.close();
    this.client = undefined;
    this.address = undefined;
  }

  /** Beside the resource: progress on its line, which the engine overwrites, and diagnostics, which stay. */
  reporter(urn: string): Reporter {
    return {
      status: (message) => this.send("INFO", message, urn, true),
      info: (message) => this.send("INFO", message, urn, false),
      warning: (message) => this.send("WARNING", message, urn, false),
    };
  }

  /** Resolves when everything said so far has arrived: a diagnostic must not come after the answer it belongs to. */
  async flushed(): Promise<void> {
    await Promise.all(this.underWay);
  }

  private send(level: Level, message: string, urn: string, ephemeral: boolean): void {
    const { address } = this;
    if (address === undefined) return;
    const delivery = this.deliver(address, level, this.scrub(message), urn, ephemeral);
    this.underWay.add(delivery);
    void delivery.then(() => this.underWay.delete(delivery));
  }

  private deliver(address: string, level: Level, message: string, urn: string, ephemeral: boolean): Promise<void> {
    const { EngineClient, LogRequest, LogSeverity } = lazy.engine();
    const request = new LogRequest();
    request.setSeverity(LogSeverity[level]);
    request.setMessage(message);
    request.setUrn(urn);
    request.setEphemeral(ephemeral);
    this.client ??= new EngineClient(address, credentials.createInsecure());
    const { client } = this;
    return new Promise((resolve) => {
      client.log(request, new Metadata(), { deadline: Date.now() + PATIENCE_MS }, () => resolve());
    });
  }
}
