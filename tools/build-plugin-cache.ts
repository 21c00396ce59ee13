import { createRequire } from "node:module";
import type { Script } from "node:vm";
import { credentials, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import {
  CheckRequest,
  ConfigureRequest,
  CreateRequest,
  DiffRequest,
  ProviderHandshakeRequest,
} from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";

/**
 * Runs the built plugin through the first calls of an engine's run, and writes V8's compiled code for them to the cache
 * file.
 *
 *   build-plugin-cache.ts PLUGIN CACHE
 */

const load = createRequire(__filename);
/** The module itself, not a copy of its names: the plugin must see the changes of `printedPort`. */
const fs = load("node:fs") as typeof import("node:fs");

const TYPE = "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation";
const URN = `urn:pulumi:stack::project::${TYPE}::name`;
const ID = "projects/p/locations/us-central1-a/firewallEndpointAssociations/a";
const INPUTS = {
  firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
  network: "projects/p/global/networks/n",
  location: "us-central1-a",
  project: "p",
};

async function main([plugin, cache]: string[]): Promise<void> {
  if (plugin === undefined || cache === undefined) throw new Error("usage: build-plugin-cache.ts PLUGIN CACHE");
  const port = printedPort();
  const { script } = load(plugin) as { script: Script };
  await firstCalls(new ResourceProviderClient(`127.0.0.1:${await port}`, credentials.createInsecure()));
  fs.writeFileSync(cache, script.createCachedData());
}

/** The port that the plugin prints, which is hidden from the output of the build. */
function printedPort(): Promise<string> {
  const { writeSync } = fs;
  return new Promise((resolve) => {
    fs.writeSync = (_to: number, port: unknown) => {
      fs.writeSync = writeSync;
      resolve(String(port).trim());
      return 0;
    };
  });
}

async function firstCalls(client: ResourceProviderClient): Promise<void> {
  const ask = <Q>(
    method: (request: Q, callback: (error: ServiceError | null, response: unknown) => void) => unknown,
    request: Q,
  ) =>
    new Promise((resolve, reject) =>
      method.call(client, request, (error, response) => (error ? reject(error) : resolve(response))),
    );
  const config = Struct.fromJavaScript({ project: "p", emulatorHost: "127.0.0.1:1" });
  const inputs = Struct.fromJavaScript(INPUTS);
  await ask(client.handshake, new ProviderHandshakeRequest());
  await ask(client.getPluginInfo, new Empty());
  await ask(client.checkConfig, new CheckRequest().setNews(config));
  await ask(client.diffConfig, new DiffRequest().setOlds(config).setNews(config));
  await ask(client.configure, new ConfigureRequest().setArgs(config));
  await ask(client.check, new CheckRequest().setUrn(URN).setType(TYPE).setNews(inputs));
  await ask(client.diff, new DiffRequest().setUrn(URN).setType(TYPE).setId(ID).setOlds(inputs).setNews(inputs));
  await ask(client.create, new CreateRequest().setUrn(URN).setType(TYPE).setProperties(inputs).setPreview(true));
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
