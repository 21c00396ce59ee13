import { VERSION } from "../version";

const HELP = `usage: pulumi-resource-perimeter [flags] [ENGINE]

Pulumi's resource plugin "perimeter", version ${VERSION}. Engines start it if it is on PATH or installed:
  pulumi plugin install resource perimeter ${VERSION} --file pulumi-resource-perimeter

Without ENGINE (host:port of the engine) it prints the port that it serves, for engines to attach to:
  PULUMI_DEBUG_PROVIDERS=perimeter:PORT pulumi up

  -h, --help     prints this help and exits
  --version      prints the version and exits

Flags that engines pass (--logtostderr, -v=9, --tracing=URL) are accepted and have no effect.
`;

/** The text to print instead of serving; undefined without a flag for it. Other flags, which engines pass, have no effect. */
export function answerToFlags(args: readonly string[]): string | undefined {
  if (args.some((each) => ["-h", "-help", "--help"].includes(each))) return HELP;
  if (args.some((each) => ["-version", "--version"].includes(each))) return `${VERSION}\n`;
  return undefined;
}
