import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
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
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { serviceDefinition as plugin } from "./server";
import { jsonOf, structOf } from "./struct";

const json = Object.fromEntries([["__proto__", "text"]]);
const struct = structOf(json);

const bytesOf = (request: { serializeBinary(): Uint8Array }) => Buffer.from(request.serializeBinary());
const check = bytesOf(new CheckRequest().setOlds(struct).setNews(struct));
const diff = bytesOf(new DiffRequest().setOlds(struct).setNews(struct).setOldInputs(struct));

test.each<[keyof typeof plugin, () => (Struct | undefined)[]]>([
  ["checkConfig", () => both(plugin.checkConfig.requestDeserialize(check))],
  ["diffConfig", () => all(plugin.diffConfig.requestDeserialize(diff))],
  ["configure", () => [plugin.configure.requestDeserialize(bytesOf(new ConfigureRequest().setArgs(struct))).getArgs()]],
  ["check", () => both(plugin.check.requestDeserialize(check))],
  ["diff", () => all(plugin.diff.requestDeserialize(diff))],
  [
    "create",
    () => [plugin.create.requestDeserialize(bytesOf(new CreateRequest().setProperties(struct))).getProperties()],
  ],
  [
    "read",
    () => {
      const request = new ReadRequest().setProperties(struct).setInputs(struct);
      const read = plugin.read.requestDeserialize(bytesOf(request));
      return [read.getProperties(), read.getInputs()];
    },
  ],
  [
    "update",
    () => {
      const request = new UpdateRequest().setOlds(struct).setNews(struct).setOldInputs(struct);
      return all(plugin.update.requestDeserialize(bytesOf(request)));
    },
  ],
  [
    "delete",
    () => {
      const request = new DeleteRequest().setProperties(struct).setOldInputs(struct);
      const read = plugin.delete.requestDeserialize(bytesOf(request));
      return [read.getProperties(), read.getOldInputs()];
    },
  ],
  ["invoke", () => [plugin.invoke.requestDeserialize(bytesOf(new InvokeRequest().setArgs(struct))).getArgs()]],
])("%s keeps a property called __proto__", (_method, structs) => {
  for (const each of structs()) expect(JSON.stringify(jsonOf(each))).toBe('{"__proto__":"text"}');
});

test("has exactly Pulumi's methods", () => {
  const pathsOf = (definition: Record<string, { path: string }>) =>
    Object.entries(definition).map(([name, { path }]) => [name, path]);
  expect(pathsOf({ ...plugin })).toEqual(pathsOf({ ...ResourceProviderService }));
});

function both(request: CheckRequest): (Struct | undefined)[] {
  return [request.getOlds(), request.getNews()];
}

function all(request: DiffRequest | UpdateRequest): (Struct | undefined)[] {
  return [request.getOlds(), request.getNews(), request.getOldInputs()];
}
