/**
 * A provider `gcp` inside of the test's process, for resources that grants are on. The engine attaches to it in place of a
 * plugin of its own. A resource's id is its input `resource`; another `version` replaces it.
 */
import {
  Server,
  ServerCredentials,
  type sendUnaryData,
  type ServerUnaryCall,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";

export const OTHER_TYPES = ["gcp:healthcare/fhirStore:FhirStore", "gcp:healthcare/dataset:Dataset"] as const;

const VERSION = "9.0.0";
const SHAPE = { resource: { type: "string" }, version: { type: "integer" } };
const SCHEMA = {
  name: "gcp",
  version: VERSION,
  resources: Object.fromEntries(OTHER_TYPES.map((type) => [type, { properties: SHAPE, inputProperties: SHAPE }])),
};

const valueOf = (values: Struct | undefined, key: string) => JSON.stringify(values?.toJavaScript()[key]);

export class OtherProvider {
  private readonly server = new Server();
  private port = 0;

  /** @param remove deletes the resource with this id in the cloud */
  static async start(remove: (id: string) => void): Promise<OtherProvider> {
    const provider = new OtherProvider();
    provider.server.addService(ResourceProviderService, handlers(remove));
    provider.port = await new Promise<number>((resolve, reject) =>
      provider.server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
    return provider;
  }

  /** What the engine's environment needs. */
  get env(): Record<string, string> {
    return { PULUMI_DEBUG_PROVIDERS: `gcp:${this.port}` };
  }

  stop(): void {
    this.server.forceShutdown();
  }
}

function handlers(remove: (id: string) => void) {
  const empty = () => new Empty();
  const checked = ({ request }: { request: rpc.CheckRequest }) => new rpc.CheckResponse().setInputs(request.getNews());
  return answering({
    handshake: () => new rpc.ProviderHandshakeResponse().setAcceptSecrets(true).setAcceptResources(true),
    getPluginInfo: () => new PluginInfo().setVersion(VERSION),
    attach: empty,
    cancel: empty,
    getSchema: () => new rpc.GetSchemaResponse().setSchema(JSON.stringify(SCHEMA)),
    checkConfig: checked,
    diffConfig: () => new rpc.DiffResponse().setChanges(rpc.DiffResponse.DiffChanges.DIFF_NONE),
    configure: () => new rpc.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true),
    check: checked,
    diff: ({ request }: { request: rpc.DiffRequest }) => {
      const [old, now] = [request.getOldInputs() ?? request.getOlds(), request.getNews()];
      const isSame = valueOf(old, "version") === valueOf(now, "version");
      const { DIFF_NONE, DIFF_SOME } = rpc.DiffResponse.DiffChanges;
      return (
        new rpc.DiffResponse()
          .setChanges(isSame ? DIFF_NONE : DIFF_SOME)
          .setReplacesList(isSame ? [] : ["version"])
          .setDiffsList(isSame ? [] : ["version"])
          // No cloud has two resources of one name.
          .setDeletebeforereplace(true)
      );
    },
    create: ({ request }: { request: rpc.CreateRequest }) =>
      new rpc.CreateResponse()
        .setId(JSON.parse(valueOf(request.getProperties(), "resource")) as string)
        .setProperties(request.getProperties()),
    read: ({ request }: { request: rpc.ReadRequest }) =>
      new rpc.ReadResponse()
        .setId(request.getId())
        .setProperties(request.getProperties())
        .setInputs(request.getInputs()),
    delete: ({ request }: { request: rpc.DeleteRequest }) => {
      remove(request.getId());
      return new Empty();
    },
  });
}

type Answer = (call: ServerUnaryCall<never, never>) => unknown;

/** Functions that return an answer, as the server takes them. */
function answering(answers: Record<string, (call: never) => unknown>): UntypedServiceImplementation {
  const served = Object.entries(answers).map(([name, answer]) => [
    name,
    (call: ServerUnaryCall<never, never>, callback: sendUnaryData<unknown>) => callback(null, (answer as Answer)(call)),
  ]);
  return Object.fromEntries(served) as UntypedServiceImplementation;
}
