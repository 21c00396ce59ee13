import { PACKAGE_NAME } from "../provider/core/definition";
import { lookups, resources } from "../provider/services";
import { VERSION } from "../provider/version";
import { needs } from "./doctor/installation";
import type { Terminal } from "./terminal";

/** The gRPC service that the plugin serves and engines call (pulumi/provider.proto). */
const PROTOCOL = "pulumirpc.ResourceProvider";

/** Prints the versions that a bug report should name: one line for each. */
export function runVersion(terminal: Terminal): void {
  const rows = [
    ["pulumi-perimeter", VERSION],
    ["schema", `${PACKAGE_NAME} ${VERSION}: ${resources.length} resources, ${lookups.length} functions`],
    ["plugin protocol", `${PROTOCOL}, of Pulumi ${needs().pulumi} or newer`],
    process.versions.bun === undefined ? ["Node.js", process.versions.node] : ["Bun", process.versions.bun],
  ];
  terminal.write(rows.map(([name = "", value = ""]) => `${name.padEnd(18)}${value}\n`).join(""));
}
