import { join } from "node:path";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { PluginClient, spawnPlugin, type CallError, type Props } from "../../tests/lifecycle/plugin-client";
import type { EngineLogServer } from "../../tests/support/engine-log-server";
import { ASSOCIATION } from "../../tests/support/tokens";
import { goPeer, GO_PEER_COMMAND, GO_PEER_TYPE } from "../peers/go-plugin";
import { EXECUTABLE, GO_PEER, PLUGIN } from "./names";
import { trees } from "./trees";

/** One plugin that can be started. */
export interface PluginFile {
  name: string;
  /** For PATH. */
  folder: string;
  command: string;
  /** Its type of an association. */
  type: string;
}

/** The available plugins: the peer in Go, and Perimeter's plugins of all trees. */
export function plugins(): PluginFile[] {
  const { folder } = goPeer();
  const own = { command: "pulumi-resource-perimeter", type: ASSOCIATION };
  return [
    ...(folder === undefined ? [] : [{ name: GO_PEER, folder, command: GO_PEER_COMMAND, type: GO_PEER_TYPE }]),
    ...trees().flatMap(({ named, bin, executable }) => [
      { name: named(PLUGIN), folder: bin, ...own },
      ...(executable === undefined ? [] : [{ name: named(EXECUTABLE), folder: executable, ...own }]),
    ]),
  ];
}

/** A plugin process and its client, after the calls that an engine sends before the first resource. */
export async function startPlugin(
  { folder, command }: PluginFile,
  engine: EngineLogServer,
  env: Record<string, string>,
): Promise<{ client: PluginClient; pid: number }> {
  const { port, process, ended } = await spawnPlugin(join(folder, command), [engine.address], { env });
  const client = new PluginClient(port, async () => {
    process.kill("SIGKILL");
    await ended;
  });
  const { methods } = client;
  // Optional, and missing in the Go peer: the engine continues without it.
  await client.call(methods.handshake, new rpc.ProviderHandshakeRequest()).catch((error: CallError) => {
    if (error.code !== "UNIMPLEMENTED") throw error;
  });
  await client.call(methods.getPluginInfo, new Empty());
  await client.checkConfig({});
  await client.call(
    methods.configure,
    new rpc.ConfigureRequest().setArgs(new Struct()).setAcceptsecrets(true).setAcceptresources(true),
  );
  return { client, pid: process.pid ?? -1 };
}

/** The inputs of the association with this number, the same as in programs/declare.cjs. */
export function associationInputs(at: number): Props {
  return {
    firewallEndpointAssociationId: `a-${at}`,
    // An endpoint accepts at most 50 associations.
    firewallEndpoint: `organizations/123456789/locations/us-central1-a/firewallEndpoints/e-${Math.floor(at / 50)}`,
    network: `projects/bench/global/networks/n-${at}`,
    location: "us-central1-a",
    project: "bench",
  };
}

export function executableNotes(): string[] {
  return trees()[0].executable === undefined
    ? ["The plugin without Node.js was not measured: `make executable` compiles it."]
    : [];
}
