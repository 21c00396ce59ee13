/**
 * A provider `gcp` inside of the test's process, in place of that of `@pulumi/gcp`, whose plugin is in no package registry. The
 * engine attaches to it. It has the package's grants (`gcp-grants.ts`), and resources that grants are on: the id of such a
 * resource is its input `resource`, or else that of its type; another `version` replaces it.
 */
import {
  Server,
  ServerCredentials,
  type sendUnaryData,
  type ServerUnaryCall,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { isDeepStrictEqual } from "node:util";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import type { Emulator, Service } from "../../emulator";
import { GCP_GRANT_TYPES, GcpGrant, type PolicyCloud } from "./gcp-grants";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";

const CUSTOM_ROLE = "gcp:projects/iAMCustomRole:IAMCustomRole";
export const OTHER_TYPES = ["gcp:healthcare/fhirStore:FhirStore", "gcp:healthcare/dataset:Dataset"] as const;

/** The engine's placeholder for a value that is not known yet. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const VERSION = "9.37.0";
const PROJECT = "demo-project";

type Inputs = Record<string, unknown>;

/** The ids of resources by their inputs, as in `@pulumi/gcp`. */
const IDS: Readonly<Record<string, (inputs: Inputs) => string>> = {
  "gcp:pubsub/topic:Topic": ({ project = PROJECT, name }) => `projects/${String(project)}/topics/${String(name)}`,
  "gcp:storage/bucket:Bucket": ({ name }) => String(name),
  [CUSTOM_ROLE]: ({ project, roleId }) => `projects/${String(project)}/roles/${String(roleId)}`,
};

const SHAPE = { resource: { type: "string" }, version: { type: "integer" } };
const ANY = { $ref: "pulumi.json#/Any" };
const GRANT_SHAPE = Object.fromEntries(
  "role member members condition policyData project topic secretId bucket fhirStoreId cryptoKeyId etag"
    .split(" ")
    .map((name) => [name, ANY]),
);
/** The other resources whose ids are not their input `resource`. */
const NAMED_SHAPE = Object.fromEntries("project name roleId title permissions".split(" ").map((name) => [name, ANY]));
const shapesOf = (types: readonly string[], shape: object) =>
  types.map((type) => [type, { properties: shape, inputProperties: shape }] as const);
const SCHEMA = {
  name: "gcp",
  version: VERSION,
  resources: Object.fromEntries([
    ...shapesOf(OTHER_TYPES, SHAPE),
    ...shapesOf(GCP_GRANT_TYPES, GRANT_SHAPE),
    ...shapesOf(Object.keys(IDS), NAMED_SHAPE),
  ]),
};

/** What the provider changes in the cloud. */
export interface OtherCloud extends PolicyCloud {
  /** Makes a resource, if the cloud has its type. */
  create?(type: string, id: string): void;
  /** Deletes the resource with this id. */
  remove(id: string): void;
}

const inputsOf = (values: Struct | undefined) => (values?.toJavaScript() ?? {}) as Inputs;
const typeIn = (urn: string) => urn.split("::")[2]?.split("$").at(-1) ?? "";
export class OtherProvider {
  private readonly server = new Server();
  private port = 0;

  static async start(cloud: OtherCloud): Promise<OtherProvider> {
    const provider = new OtherProvider();
    provider.server.addService(ResourceProviderService, handlers(cloud));
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

function handlers(cloud: OtherCloud) {
  const empty = () => new Empty();
  const grantOf = (type: string, inputs: Inputs) => new GcpGrant(type, inputs, cloud, PROJECT);
  // A policy's etag is an output, and the project where no input has it. This plugin deletes a whole policy without an etag.
  const grantOutputs = (inputs: Inputs) =>
    Struct.fromJavaScript({ ...inputs, ...(inputs.policyData === undefined && { etag: "BwX" }) });
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
      const [old, now] = [inputsOf(request.getOldInputs() ?? request.getOlds()), inputsOf(request.getNews())];
      const type = typeIn(request.getUrn());
      const isGrant = GcpGrant.is(type);
      const changed = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
        (key) => !isDeepStrictEqual(old[key], now[key]),
      );
      const { DIFF_NONE, DIFF_SOME } = rpc.DiffResponse.DiffChanges;
      return (
        new rpc.DiffResponse()
          .setChanges(changed.length === 0 ? DIFF_NONE : DIFF_SOME)
          .setReplacesList(isGrant ? GcpGrant.replacing(old, now) : type === CUSTOM_ROLE ? [] : changed)
          .setDiffsList(changed)
          // No cloud has two resources of one name; a grant has none.
          .setDeletebeforereplace(!isGrant)
      );
    },
    create: ({ request }: { request: rpc.CreateRequest }) => {
      const [type, inputs] = [typeIn(request.getUrn()), inputsOf(request.getProperties())];
      const made = new rpc.CreateResponse().setProperties(request.getProperties());
      if (!GcpGrant.is(type)) {
        if (request.getPreview()) return made;
        const id = IDS[type]?.(inputs) ?? String(inputs.resource);
        cloud.create?.(type, id);
        return made.setId(id);
      }
      const unknown = Object.values(inputs).some((each) => JSON.stringify(each).includes(UNKNOWN));
      if (request.getPreview() && unknown) return made;
      const grant = grantOf(type, inputs);
      if (!request.getPreview()) grant.make();
      return made.setId(request.getPreview() ? "" : grant.id).setProperties(grantOutputs(inputs));
    },
    update: ({ request }: { request: rpc.UpdateRequest }) => {
      const inputs = inputsOf(request.getNews());
      const type = typeIn(request.getUrn());
      if (!request.getPreview() && GcpGrant.is(type)) grantOf(type, inputs).make();
      return new rpc.UpdateResponse().setProperties(grantOutputs(inputs));
    },
    read: ({ request }: { request: rpc.ReadRequest }) =>
      new rpc.ReadResponse()
        .setId(request.getId())
        .setProperties(request.getProperties())
        .setInputs(request.getInputs()),
    delete: ({ request }: { request: rpc.DeleteRequest }) => {
      const type = typeIn(request.getUrn());
      if (GcpGrant.is(type)) grantOf(type, inputsOf(request.getProperties())).remove();
      else cloud.remove(request.getId());
      return new Empty();
    },
  });
}

/** The policies of an emulator, and the topics, which it makes if it lacks them. */
export function policyCloud(emulator: Emulator): PolicyCloud & Pick<OtherCloud, "create"> {
  return {
    create: (type, name) => {
      const isNew = type === "gcp:pubsub/topic:Topic" && emulator.resource(name, "pubsub") === undefined;
      if (isNew) emulator.seed([{ service: "pubsub", name }]);
    },
    policy: (service, name) => emulator.resource(name, service as Service)?.policy ?? {},
    write: (service, name, policy) => void emulator.mutate(name, { policy }, service as Service),
  };
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
