import { join } from "node:path";
import { ASSOCIATION } from "../../tests/support/tokens";
import { goPeer, GO_PEER_COMMAND, GO_PEER_TYPE } from "../peers/go-plugin";
import { before, EXECUTABLE, GO_PEER, PLUGIN } from "./names";
import type { Values } from "./plugin-process";
import { trees } from "./trees";

/** One plugin that can be started. */
export interface PluginFile {
  name: string;
  file: string;
  /** Its type of an association. */
  type: string;
}

/** The available plugins: the peer in Go, and Perimeter's plugins of all trees. */
export function plugins(): PluginFile[] {
  const { folder } = goPeer();
  return [
    ...(folder === undefined ? [] : [{ name: GO_PEER, file: join(folder, GO_PEER_COMMAND), type: GO_PEER_TYPE }]),
    ...trees().flatMap(({ bin, executable, earlier }) => {
      const named = (name: string) => (earlier ? before(name) : name);
      const plugin = (name: string, folder: string): PluginFile[] => [
        { name: named(name), file: join(folder, "pulumi-resource-perimeter"), type: ASSOCIATION },
      ];
      return [...plugin(PLUGIN, bin), ...(executable === undefined ? [] : plugin(EXECUTABLE, executable))];
    }),
  ];
}

/** The inputs of the association with this number, the same as in programs/declare.cjs. */
export function associationInputs(at: number): Values {
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
  return trees()[0]?.executable === undefined
    ? [
        "The plugin without Node.js was not measured: `node -r ./tools/register.cjs tools/build-plugin.ts --executable` compiles it.",
      ]
    : [];
}
