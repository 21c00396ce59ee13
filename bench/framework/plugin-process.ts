import { spawn, type ChildProcess } from "node:child_process";
import { credentials, status, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct, type JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb";
import type { EngineLogServer } from "../../tests/support/engine-log-server";
import { cpuSeconds, memoryMb } from "./process-tree";

/** A plugin process, started and called like an engine does. */

export type Values = Record<string, JavaScriptValue>;

export class PluginProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly client: ResourceProviderClient,
  ) {}

  /** Resolves when the plugin has printed its port. */
  static async start(file: string, engine: EngineLogServer, env: Record<string, string> = {}): Promise<PluginProcess> {
    // Without NODE_EXTRA_CA_CERTS: reading certificates costs Node some 40 ms at each start.
    const system = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };
    const child = spawn(file, [engine.address], { env: { ...system, ...env }, stdio: ["pipe", "pipe", "ignore"] });
    const port = await new Promise<string>((resolve, reject) => {
      child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()));
      child.once("error", reject).once("exit", (code) => reject(new Error(`${file} ended with ${code}`)));
    });
    const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
    return new PluginProcess(child, client);
  }

  /** The calls before the first resource. */
  async configure(config: Values): Promise<void> {
    const values = struct(config);
    const handshake = ask((done) => this.client.handshake(new rpc.ProviderHandshakeRequest(), done));
    // Optional, and missing in the Go peer: the engine continues without it.
    await handshake.catch((error: ServiceError) => {
      if (error.code !== status.UNIMPLEMENTED) throw error;
    });
    await ask((done) => this.client.getPluginInfo(new Empty(), done));
    await ask((done) => this.client.checkConfig(new rpc.CheckRequest().setUrn("urn:provider").setNews(values), done));
    const request = new rpc.ConfigureRequest().setArgs(values).setAcceptsecrets(true).setAcceptresources(true);
    await ask((done) => this.client.configure(request, done));
  }

  /** @returns the inputs with their defaults */
  async check(type: string, name: string, inputs: Values): Promise<Struct> {
    const request = new rpc.CheckRequest().setUrn(urn(type, name)).setType(type).setName(name).setNews(struct(inputs));
    const answer = await ask<rpc.CheckResponse>((done) => this.client.check(request, done));
    const [failure] = answer.getFailuresList();
    if (failure) throw new Error(`${name}: ${failure.getProperty()}: ${failure.getReason()}`);
    return answer.getInputs() as Struct;
  }

  /** Check and Create, as in an update of a new resource. @returns its id */
  async create(type: string, name: string, inputs: Values): Promise<string> {
    const checked = await this.check(type, name, inputs);
    const request = new rpc.CreateRequest().setUrn(urn(type, name)).setType(type).setName(name).setProperties(checked);
    return (await ask<rpc.CreateResponse>((done) => this.client.create(request, done))).getId();
  }

  /** Processor time so far, in seconds; undefined if the system does not report it. */
  get cpuSeconds(): number | undefined {
    return cpuSeconds(this.child.pid ?? -1);
  }

  get memory(): { now: number; peak: number } | undefined {
    return memoryMb(this.child.pid ?? -1);
  }

  async stop(): Promise<void> {
    this.client.close();
    this.child.removeAllListeners("exit");
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill("SIGKILL");
    await ended;
  }
}

/** Does the work for 0 to `count` - 1, with limited concurrency, like an engine with `--parallel`. */
export async function inLanes(count: number, lanes: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < count; at = next++) await work(at);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, count) }, lane));
}

const urn = (type: string, name: string): string => `urn:pulumi:stack::project::${type}::${name}`;
const struct = (values: Values): Struct => Struct.fromJavaScript(values);

function ask<A>(call: (done: (error: ServiceError | null, answer: A) => void) => unknown): Promise<A> {
  return new Promise((resolve, reject) => void call((error, answer) => (error ? reject(error) : resolve(answer))));
}
