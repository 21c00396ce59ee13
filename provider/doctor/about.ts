import { PACKAGE_NAME } from "../core/definition";
import { lookups, resources } from "../services";
import { VERSION } from "../version";
import { needs } from "./installation";

/** The gRPC service that the plugin serves and engines call (pulumi/provider.proto). */
export const PROTOCOL = "pulumirpc.ResourceProvider";

/** The output of `perimeter version`: one line for each version that a bug report should name. */
export function aboutText(): string {
  const rows = [
    ["pulumi-perimeter", VERSION],
    ["schema", `${PACKAGE_NAME} ${VERSION}: ${resources.length} resources, ${lookups.length} functions`],
    ["plugin protocol", `${PROTOCOL}, of Pulumi ${needs().pulumi} or newer`],
    ["Node.js", process.versions.node],
  ];
  return rows.map(([name = "", value = ""]) => `${name.padEnd(18)}${value}\n`).join("");
}
