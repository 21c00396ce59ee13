/**
 * A provider `random` inside of the test's process, in place of that of `@pulumi/random`, whose plugin is in no package registry. It
 * has RandomId and RandomUuid: new keepers replace them, and nothing else changes. The engine attaches to it.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { Server, ServerCredentials, type sendUnaryData, type ServerUnaryCall } from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";

const VERSION = "4.21.2";
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const KEEPERS = { keepers: { type: "object", additionalProperties: { type: "string" } } };
const INPUTS: Record<string, object> = {
  "random:index/randomId:RandomId": { byteLength: { type: "integer" }, ...KEEPERS },
  "random:index/randomUuid:RandomUuid": KEEPERS,
};
/** The outputs that the examples use. */
const OUTPUT: Record<string, { name: string; make(): string }> = {
  "random:index/randomId:RandomId": { name: "hex", make: () => randomBytes(4).toString("hex") },
  "random:index/randomUuid:RandomUuid": { name: "result", make: () => randomUUID() },
};
const SCHEMA = {
  name: "random",
  version: VERSION,
  meta: { moduleFormat: "(.*)(?:/[^/]*)" },
  resources: Object.fromEntries(
    Object.entries(INPUTS).map(([type, inputProperties]) => {
      const name = OUTPUT[type]?.name ?? "";
      const properties = { ...inputProperties, [name]: { type: "string" } };
      return [type, { inputProperties, properties, required: [name] }];
    }),
  ),
};

const typeIn = (urn: string) => urn.split("::")[2]?.split("$").at(-1) ?? "";
const valuesOf = (struct: Struct | undefined) => struct?.toJavaScript() ?? {};

const create = ({ request }: { request: rpc.CreateRequest }) => {
  const output = OUTPUT[typeIn(request.getUrn())];
  const value = request.getPreview() ? UNKNOWN : output?.make();
  const properties = { ...valuesOf(request.getProperties()), [output?.name ?? ""]: value ?? "" };
  return new rpc.CreateResponse()
    .setId(value === UNKNOWN ? "" : (value ?? ""))
    .setProperties(Struct.fromJavaScript(properties));
};

const diff = ({ request }: { request: rpc.DiffRequest }) => {
  const [old, now] = [valuesOf(request.getOldInputs()), valuesOf(request.getNews())];
  const response = new rpc.DiffResponse();
  if (isDeepStrictEqual(old.keepers, now.keepers)) return response.setChanges(rpc.DiffResponse.DiffChanges.DIFF_NONE);
  return response
    .setChanges(rpc.DiffResponse.DiffChanges.DIFF_SOME)
    .setReplacesList(["keepers"])
    .setDiffsList(["keepers"]);
};

const HANDLERS: Record<string, (call: never) => unknown> = {
  handshake: () => new rpc.ProviderHandshakeResponse(),
  getPluginInfo: () => new PluginInfo().setVersion(VERSION),
  attach: () => new Empty(),
  cancel: () => new Empty(),
  delete: () => new Empty(),
  getSchema: () => new rpc.GetSchemaResponse().setSchema(JSON.stringify(SCHEMA)),
  checkConfig: ({ request }: { request: rpc.CheckRequest }) => new rpc.CheckResponse().setInputs(request.getNews()),
  diffConfig: () => new rpc.DiffResponse().setChanges(rpc.DiffResponse.DiffChanges.DIFF_NONE),
  configure: () => new rpc.ConfigureResponse().setSupportspreview(true),
  check: ({ request }: { request: rpc.CheckRequest }) => new rpc.CheckResponse().setInputs(request.getNews()),
  diff,
  create,
};

export interface RandomProvider {
  /** What the engine's environment needs. */
  env: Record<string, string>;
  stop(): void;
}

export async function startRandomProvider(): Promise<RandomProvider> {
  const server = new Server();
  const served = Object.entries(HANDLERS).map(([name, handle]) => [
    name,
    (call: ServerUnaryCall<never, never>, callback: sendUnaryData<unknown>) => callback(null, handle(call as never)),
  ]);
  server.addService(ResourceProviderService, Object.fromEntries(served) as never);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { env: { PULUMI_DEBUG_PROVIDERS: `random:${port}` }, stop: () => server.forceShutdown() };
}
