import { VERSION } from "../version";

const HELP = `usage: pulumi-resource-perimeter [flags] [ENGINE]

Pulumi's resource plugin "perimeter", version ${VERSION}. Engines start it where it is on PATH or installed:
  pulumi plugin install resource perimeter ${VERSION} --file pulumi-resource-perimeter

Without ENGINE (host:port of the engine) it prints the port that it serves, for engines to attach to:
  PULUMI_DEBUG_PROVIDERS=perimeter:PORT pulumi up

  -h, --help     prints this and ends
  --version      prints the version and ends

Other flags are those that engines pass (--logtostderr, -v=9, --tracing=URL), and change nothing.
`;

/** The text to print instead of serving; undefined without a flag for it. Other flags, which engines pass, have no effect. */
export function answerToFlags(args: readonly string[]): string | undefined {
  if (args.some((each) => ["-h", "-help", "--help"].includes(each))) return HELP;
  if (args.some((each) => ["-version", "--version"].includes(each))) return `${VERSION}\n`;
  return undefined;
}
