import { basename } from "node:path";
import { isBundled } from "./version";

/**
 * How this process was started, and how its user starts the command `perimeter`. An executable is one file with the plugin and
 * the command; the plugin's script for Node.js and the npm package are the plugin or the command alone.
 */

/** A process; by default this one. */
export interface Start {
  /** The name by which it was started: `perimeter`, `./perimeter`. */
  argv0: string;
  /** The path of the script that Node.js runs. */
  script?: string;
  /** The arguments after the program. */
  args: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
  /** Whether it is an executable with plugin and command. */
  isOneFile: boolean;
}

const thisProcess: Start = {
  argv0: process.argv0,
  script: process.argv[1] ?? "",
  args: process.argv.slice(2),
  environment: process.env,
  isOneFile: isBundled && process.versions.bun !== undefined,
};

/**
 * Whether an executable is started as the command: under the file name `perimeter`, or with a word as its first argument, as
 * in `pulumi-resource-perimeter review`. Engines start the plugin with no argument, or with a flag (`--tracing`) or an address
 * (`host:port`) as the first one.
 */
export function isCommand(start: Start = thisProcess): boolean {
  return start.isOneFile && (isNamedPerimeter(start) || /^[a-z][a-z-]*$/i.test(start.args[0] ?? ""));
}

function isNamedPerimeter({ argv0 }: Start): boolean {
  return /^perimeter(\.exe)?$/i.test(basename(argv0));
}

/** Whether `pulumi plugin run` runs the executable as the command: it names the address of its own server. */
export function isPluginRun(start: Start = thisProcess): boolean {
  return isCommand(start) && !isNamedPerimeter(start) && Boolean(start.environment.PULUMI_RPC_TARGET);
}

/** Whether this process is an executable with plugin and command, which needs no Node.js. */
export function isOneFile(): boolean {
  return thisProcess.isOneFile;
}

/** What a user types before `review` or `emulator`, for messages. */
export function commandOf(start: Start): string {
  if (!start.isOneFile) return commandOfPackage(start.script ?? "");
  if (isNamedPerimeter(start)) return "perimeter";
  if (isCommand(start) && !isPluginRun(start)) return "pulumi-resource-perimeter";
  return "pulumi plugin run --kind resource perimeter --";
}

/**
 * npm links the command of a package that is installed globally to a folder on PATH. In that case, `npx` would download a package with
 * this name from the registry, whoever published it.
 */
function commandOfPackage(script: string): string {
  const [, name] = /(?:^|[\\/])((?:pulumi-)?perimeter)$/.exec(script) ?? [];
  return name === undefined || /[\\/]node_modules[\\/]/.test(script) ? "npx pulumi-perimeter" : name;
}

export const COMMAND = commandOf(thisProcess);
