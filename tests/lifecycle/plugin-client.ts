import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { credentials, status, type ServiceError } from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct, type JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { startPlugin } from "../../provider/plugin/server";

/** Speaks to the plugin as an engine does, with Pulumi's own generated bindings. */

export type Props = Record<string, unknown>;

/** The engine's marks, written out here so that a wrong one in the plugin is not repeated by its tests. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
export const secret = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

/** A failed call: the engine's view of it. */
export class CallError extends Error {
  readonly code: string;
  /** Of a resource that is there but not ready. */
  readonly notReady: { id: string; properties: Props; inputs: Props; reasons: string[] } | undefined;

  constructor(error: ServiceError) {
    super(error.details);
    this.code = status[error.code];
    const [bytes] = error.metadata.get("grpc-status-details-bin");
    for (const detail of bytes ? Status.deserializeBinary(bytes as Buffer).getDetailsList() : []) {
      const failed = detail.unpack(rpc.ErrorResourceInitFailed.deserializeBinary, "pulumirpc.ErrorResourceInitFailed");
      if (!failed) continue;
      const [id, reasons] = [failed.getId(), failed.getReasonsList()];
      this.notReady = { id, reasons, properties: props(failed.getProperties()), inputs: props(failed.getInputs()) };
    }
  }
}

export interface Failure {
  property: string;
  reason: string;
}

export interface DetailedDiff {
  changes: string;
  replaces: string[];
  diffs: string[];
  deleteBeforeReplace: boolean;
  detailed: Record<string, string>;
}

const KINDS = Object.fromEntries(Object.entries(rpc.PropertyDiff.Kind).map(([name, value]) => [value, name]));
const CHANGES = Object.fromEntries(Object.entries(rpc.DiffResponse.DiffChanges).map(([name, value]) => [value, name]));

const struct = (values: Props) =>
  Struct.fromJavaScript(JSON.parse(JSON.stringify(values)) as Record<string, JavaScriptValue>);
const props = (values: Struct | undefined) => (values?.toJavaScript() ?? {}) as Props;
const failuresOf = (list: rpc.CheckFailure[]): Failure[] =>
  list.map((each) => ({ property: each.getProperty(), reason: each.getReason() }));

/** An empty home folder. */
export function newHome(): string {
  return mkdtempSync(join(tmpdir(), "perimeter-home-"));
}

export class PluginClient {
  private readonly client: ResourceProviderClient;
  /** Everything that the plugin answered, as text: to look for what must not be in it. */
  readonly answers: string[] = [];

  constructor(
    port: number,
    readonly stop: () => Promise<void>,
  ) {
    this.client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure(), {
      "grpc.max_receive_message_length": -1,
      "grpc.max_send_message_length": -1,
    });
  }

  /**
   * Inside of this process.
   *
   * @param home where the processes of one run share their facts. Each run of an engine has an address of its own; the runs of a
   *   test have one address, and therefore a folder each. Default: a new one, which the client removes.
   */
  static async inProcess(
    engineAddress: string | undefined,
    environment: Record<string, string>,
    home = newHome(),
  ): Promise<PluginClient> {
    const plugin = await startPlugin({ engineAddress, environment: { HOME: home, ...environment } });
    return new PluginClient(plugin.port, async () => {
      await plugin.stop();
      rmSync(home, { recursive: true, force: true });
    });
  }

  async close(): Promise<void> {
    this.client.close();
    await this.stop();
  }

  call<Q, A>(
    method: (request: Q, callback: (error: ServiceError | null, answer: A) => void) => unknown,
    request: Q,
  ): Promise<A> {
    return new Promise((resolve, reject) =>
      method.call(this.client, request, (error, answer) => {
        this.answers.push(error ? `${error.details} ${JSON.stringify(error.metadata.getMap())}` : String(answer));
        if (error) reject(new CallError(error));
        else resolve(answer);
      }),
    );
  }

  get methods(): ResourceProviderClient {
    return this.client;
  }

  /** @param urn of the provider. Without a program, `pulumi do` gives it no name. */
  async configure(config: Props = {}, urn?: string): Promise<void> {
    await this.call(this.client.handshake, new rpc.ProviderHandshakeRequest());
    const request = new rpc.ConfigureRequest().setArgs(struct(config));
    await this.call(this.client.configure, urn === undefined ? request : request.setUrn(urn));
  }

  async checkConfig(news: Props): Promise<{ inputs: Props; failures: Failure[] }> {
    const answer = await this.call<rpc.CheckRequest, rpc.CheckResponse>(
      this.client.checkConfig,
      new rpc.CheckRequest().setNews(struct(news)),
    );
    return { inputs: props(answer.getInputs()), failures: failuresOf(answer.getFailuresList()) };
  }

  async diffConfig(olds: Props, news: Props): Promise<DetailedDiff> {
    const request = new rpc.DiffRequest().setUrn("urn:provider").setNews(struct(news));
    return diffOf(
      await this.call<rpc.DiffRequest, rpc.DiffResponse>(
        this.client.diffConfig,
        request.setOlds(struct(olds)).setOldInputs(struct(olds)),
      ),
    );
  }

  async check(type: string, news: Props, name = "it", olds?: Props): Promise<{ inputs: Props; failures: Failure[] }> {
    const request = new rpc.CheckRequest().setUrn(urn(type, name)).setType(type).setNews(struct(news));
    if (olds) request.setOlds(struct(olds));
    const answer = await this.call<rpc.CheckRequest, rpc.CheckResponse>(this.client.check, request);
    return { inputs: props(answer.getInputs()), failures: failuresOf(answer.getFailuresList()) };
  }

  async diff(
    type: string,
    id: string,
    prior: Prior,
    news: Props,
    ignored: string[] = [],
    name = "it",
  ): Promise<DetailedDiff> {
    const request = new rpc.DiffRequest().setId(id).setUrn(urn(type, name)).setType(type).setNews(struct(news));
    request.setOlds(struct(prior.outputs)).setIgnorechangesList(ignored);
    if (prior.inputs) request.setOldInputs(struct(prior.inputs));
    return diffOf(await this.call<rpc.DiffRequest, rpc.DiffResponse>(this.client.diff, request));
  }

  async create(type: string, inputs: Props, options: { preview?: boolean; timeout?: number; name?: string } = {}) {
    const request = new rpc.CreateRequest().setUrn(urn(type, options.name)).setType(type).setProperties(struct(inputs));
    request.setPreview(options.preview ?? false).setTimeout(options.timeout ?? 0);
    const answer = await this.call<rpc.CreateRequest, rpc.CreateResponse>(this.client.create, request);
    return { id: answer.getId(), outputs: props(answer.getProperties()) };
  }

  async read(type: string, id: string, prior?: Prior, name = "it") {
    const request = new rpc.ReadRequest().setId(id).setUrn(urn(type, name)).setType(type);
    if (prior) request.setProperties(struct(prior.outputs)).setInputs(struct(prior.inputs ?? {}));
    const answer = await this.call<rpc.ReadRequest, rpc.ReadResponse>(this.client.read, request);
    return { id: answer.getId(), inputs: props(answer.getInputs()), outputs: props(answer.getProperties()) };
  }

  async update(
    type: string,
    id: string,
    prior: Prior,
    news: Props,
    options: { preview?: boolean; timeout?: number; ignored?: string[]; name?: string } = {},
  ): Promise<Props> {
    const request = new rpc.UpdateRequest().setId(id).setUrn(urn(type, options.name)).setType(type);
    request.setNews(struct(news));
    request.setOlds(struct(prior.outputs)).setOldInputs(struct(prior.inputs ?? {}));
    request.setPreview(options.preview ?? false).setTimeout(options.timeout ?? 0);
    request.setIgnorechangesList(options.ignored ?? []);
    return props((await this.call<rpc.UpdateRequest, rpc.UpdateResponse>(this.client.update, request)).getProperties());
  }

  async delete(type: string, id: string, prior: Prior, timeout = 0, name = "it"): Promise<void> {
    const request = new rpc.DeleteRequest().setId(id).setUrn(urn(type, name)).setType(type).setTimeout(timeout);
    request.setProperties(struct(prior.outputs)).setOldInputs(struct(prior.inputs ?? {}));
    await this.call(this.client.delete, request);
  }

  async invoke(token: string, args: Props): Promise<{ result: Props; failures: Failure[] }> {
    const answer = await this.call<rpc.InvokeRequest, rpc.InvokeResponse>(
      this.client.invoke,
      new rpc.InvokeRequest().setTok(token).setArgs(struct(args)),
    );
    return { result: props(answer.getReturn()), failures: failuresOf(answer.getFailuresList()) };
  }

  /** A page of a list. Results of the engine's protocol, in their order. */
  async list(type: string, query: Props, more: { limit?: number; pageSize?: number; continuation?: string } = {}) {
    const request = new rpc.ListRequest().setToken(type).setQuery(struct(query));
    request
      .setLimit(more.limit ?? 0)
      .setPageSize(more.pageSize ?? 0)
      .setContinuationToken(more.continuation ?? "");
    const answers: rpc.ListResponse[] = [];
    await new Promise<void>((resolve, reject) => {
      const stream = this.client.list(request);
      stream.on("data", (answer: rpc.ListResponse) => answers.push(answer));
      stream.on("error", (error: ServiceError) => reject(new CallError(error)));
      stream.on("end", resolve);
    });
    const results = answers.flatMap((each) => each.getResult() ?? []);
    const [last] = answers.slice(-1);
    return {
      ids: results.map((each) => each.getId()),
      names: results.map((each) => each.getName()),
      isComputed: answers.some((each) => each.hasComputed()),
      continuation: last?.getContinuation()?.getContinuationToken() ?? "",
    };
  }

  async cancel(): Promise<void> {
    await this.call(this.client.cancel, new Empty());
  }
}

/** What an engine's state holds of a resource. */
export interface Prior {
  outputs: Props;
  inputs?: Props;
}

export function urn(type: string, name = "it"): string {
  return `urn:pulumi:stack::project::${type}::${name}`;
}

function diffOf(answer: rpc.DiffResponse): DetailedDiff {
  if (!answer.getHasdetaileddiff()) throw new Error("no detailed diff");
  const detailed: Record<string, string> = {};
  answer.getDetaileddiffMap().forEach((each: rpc.PropertyDiff, path: string) => {
    // Of the outputs, only the etag of a grant that is made again differs.
    if (each.getInputdiff() === (path === "etag")) throw new Error(`${path}: inputDiff is ${each.getInputdiff()}`);
    detailed[path] = KINDS[each.getKind()] ?? "";
  });
  return {
    changes: CHANGES[answer.getChanges()] ?? "",
    replaces: answer.getReplacesList(),
    diffs: answer.getDiffsList(),
    deleteBeforeReplace: answer.getDeletebeforereplace(),
    detailed,
  };
}

/** The built plugin as a process, and its first line of output. */
export async function spawnPlugin(
  file: string,
  args: string[],
  options: { env?: Record<string, string>; stdin?: "pipe" | "ignore"; node?: boolean } = {},
): Promise<{ port: number; process: ChildProcess; ended: Promise<number | null> }> {
  // As an engine starts it: with nothing of the caller's environment that could configure it.
  const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...options.env };
  const child = spawn(file, args, { env, stdio: [options.stdin ?? "pipe", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const port = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.stdout?.once("data", (text: Buffer) => resolve(Number(String(text).trim())));
    void ended.then((code) => reject(new Error(`the plugin ended with ${code}`)));
  });
  return { port, process: child, ended };
}
