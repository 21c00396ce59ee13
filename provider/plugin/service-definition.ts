import { ResourceProviderService, type IResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import {
  CheckRequest,
  ConfigureRequest,
  CreateRequest,
  DeleteRequest,
  DiffRequest,
  InvokeRequest,
  ReadRequest,
  UpdateRequest,
} from "@pulumi/pulumi/proto/provider_pb";
import { StructReader } from "./struct";

/** Pulumi's `ResourceProvider`; its requests keep every property of their Structs. */
export const serviceDefinition: IResourceProviderService = {
  ...ResourceProviderService,
  checkConfig: { ...ResourceProviderService.checkConfig, requestDeserialize: reading(CheckRequest) },
  diffConfig: { ...ResourceProviderService.diffConfig, requestDeserialize: reading(DiffRequest) },
  configure: { ...ResourceProviderService.configure, requestDeserialize: reading(ConfigureRequest) },
  check: { ...ResourceProviderService.check, requestDeserialize: reading(CheckRequest) },
  diff: { ...ResourceProviderService.diff, requestDeserialize: reading(DiffRequest) },
  create: { ...ResourceProviderService.create, requestDeserialize: reading(CreateRequest) },
  read: { ...ResourceProviderService.read, requestDeserialize: reading(ReadRequest) },
  update: { ...ResourceProviderService.update, requestDeserialize: reading(UpdateRequest) },
  delete: { ...ResourceProviderService.delete, requestDeserialize: reading(DeleteRequest) },
  invoke: { ...ResourceProviderService.invoke, requestDeserialize: reading(InvokeRequest) },
};

interface RequestType<Request> {
  new (): Request;
  deserializeBinaryFromReader(request: Request, reader: StructReader): Request;
}

function reading<Request>(type: RequestType<Request>): (bytes: Buffer) => Request {
  return (bytes) => type.deserializeBinaryFromReader(new type(), new StructReader(new Uint8Array(bytes)));
}
