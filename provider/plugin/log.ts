import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { Reporter } from "../http/call";
import type { EngineClient } from "./engine-client";

/** How long to wait until the engine takes a message, in milliseconds. An engine that takes longer is not listening. */
const PATIENCE_MS = 2_000;

/** Loaded at the first message: most runs have none before the first resource is made. */
// eslint-disable-next-line @typescript-eslint/no-require-imports -- not with import(): a message is sent at once
const loadEngineClient = () => require("./engine-client") as typeof import("./engine-client");

type Level = "INFO" | "WARNING";

/** The engine's log. Messages are only news: where no engine listens, they are dropped. */
export class EngineLog {
  private client: EngineClient | undefined;
  private readonly underWay = new Set<Promise<void>>();
  private readonly saidOnce = new Set<string>();

  /**
   * @param address of the engine, `host:port`; undefined until one attaches.
   * @param scrub takes what is secret out of a message.
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
  }

  close(): void {
    this.client?.close();
    this.client = undefined;
    this.address = undefined;
  }

  /** Messages about one resource: `status` is progress on its line, which the next one overwrites; the others stay. */
  reporter(urn: string): Reporter {
    return {
      status: (message) => this.send("INFO", message, urn, true),
      info: (message) => this.send("INFO", message, urn, false),
      warning: (message) => this.send("WARNING", message, urn, false),
    };
  }

  /** A message that the user needs once, although the engine may make the call behind it for each resource. */
  infoOnce(urn: string, message: string): void {
    if (this.saidOnce.has(message)) return;
    this.saidOnce.add(message);
    this.reporter(urn).info(message);
  }

  /** Resolves when the engine has taken every message so far. A message must not arrive after the answer it belongs to. */
  async flushed(): Promise<void> {
    await Promise.all(this.underWay);
  }

  private send(level: Level, message: string, urn: string, ephemeral: boolean): void {
    if (this.address === undefined) return;
    this.client ??= new (loadEngineClient().EngineClient)(this.address);
    const request = new LogRequest()
      .setSeverity(LogSeverity[level])
      .setMessage(this.scrub(message))
      .setUrn(urn)
      .setEphemeral(ephemeral);
    const delivery = this.client.log(request, PATIENCE_MS);
    this.underWay.add(delivery);
    void delivery.then(() => this.underWay.delete(delivery));
  }
}
