import { writeFileSync } from "node:fs";
import { isNativeError } from "node:util/types";
import {
  checkConfig,
  checkSeed,
  demoSeed,
  listAsYaml,
  parseText,
  startEmulator,
  type ConfigPatch,
  type Emulator,
  type EmulatorOptions,
  type RequestRecord,
} from "../emulator";
import { checkWritable, readText } from "./files";
import { runnerOfThisCommand, watchRunner, type Runner } from "./runner";
import type { Terminal } from "./terminal";

/** Options of `perimeter emulator`, with commander's names: `operationMs` is `--operation-ms`. */
export interface EmulatorCommandOptions {
  port: number;
  host: string;
  allowHost: string[];
  operationMs?: number;
  /** Paths of files. */
  seed?: string[];
  /** Path of a file; so are `permissionsUsed`, `faults` and `config`. */
  export?: string;
  permissionsUsed?: string;
  empty?: boolean;
  anyResource?: boolean;
  /** Path of a folder. */
  data?: string;
  faults?: string;
  config?: string;
  verbose?: boolean;
}

/**
 * Serves the APIs until Ctrl-C, SIGTERM or `terminal.stop`, or until the npx or Pulumi process that runs the command ends.
 *
 * @throws Error for a file that cannot be read, or has mistakes, and for a port that another program uses.
 */
export async function runEmulator(options: EmulatorCommandOptions, terminal: Terminal): Promise<void> {
  const runner = runnerOfThisCommand(terminal.environment ?? process.env);
  for (const path of [options.export, options.permissionsUsed]) if (path !== undefined) checkWritable(path);
  const emulator = await startEmulator(startOptions(options, terminal)).catch((error: unknown) => {
    throw listenError(error, options) ?? error;
  });
  if (!isLoopback(options.host)) {
    terminal.writeError(
      `warning: listening on ${options.host}: anybody who can reach this address can read and change the emulator\n`,
    );
  }
  terminal.write(banner(emulator, options));
  await untilStopped(terminal, runner);
  try {
    if (options.export !== undefined) {
      writeList(emulator.export(), options.export);
      terminal.write(`Resources written to ${options.export}.\n`);
    }
    if (options.permissionsUsed !== undefined) {
      writeList(emulator.permissionsUsed(), options.permissionsUsed);
      terminal.write(`Permissions written to ${options.permissionsUsed}.\n`);
    }
  } finally {
    await emulator.stop();
  }
  terminal.write("Stopped.\n");
}

/** The emulator's options. `--operation-ms` and `--any-resource` override the switches in the file of `--config`. */
function startOptions(options: EmulatorCommandOptions, terminal: Terminal): EmulatorOptions {
  const { port, host, allowHost, operationMs, seed, empty, anyResource, data, faults, config, verbose } = options;
  // Checked here, because the other options of startEmulator, such as its clock, are no switches.
  const switches =
    config === undefined ? {} : checkConfig(readInput("configuration", config) ?? {}, `configuration ${config}`);
  return {
    ...switches,
    operationMs: operationMs ?? switches.operationMs,
    anyResource: anyResource ?? switches.anyResource,
    host,
    port,
    allowedHosts: allowHost,
    data,
    seed: seed !== undefined ? readSeedFiles(seed, switches) : empty ? [] : demoSeed,
    faults: faults === undefined ? [] : readInput("fault plan", faults),
    onRequest: (record) => {
      // Always shown, because the client rarely shows that its URL belongs to no API or that the emulator does not know the
      // host name.
      if (verbose || record.id === undefined || record.refused) {
        terminal.write(requestLine(record));
      }
    },
  };
}

/** All files as one seed; the last file wins for a resource that several files have. @throws InputError that names the file */
function readSeedFiles(paths: readonly string[], switches: ConfigPatch): unknown[] {
  return paths.flatMap((path) => {
    const list = readInput("seed", path) ?? [];
    checkSeed(list, `seed ${path}`, switches);
    return list;
  });
}

/** What to do when the emulator cannot listen on the address; undefined for other errors. */
function listenError(error: unknown, { host, port }: EmulatorCommandOptions): Error | undefined {
  const code = isNativeError(error) ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === "EADDRINUSE") {
    const remedy = "stop it, or choose another port with --port (--port 0 takes a free port)";
    return new Error(`Port ${port} of ${host} is in use, perhaps by another emulator: ${remedy}`, { cause: error });
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new Error(`--host ${host} is not an address of this machine (${code}); give the port with --port`, {
      cause: error,
    });
  }
  return undefined;
}

/** Writes a list as JSON to `*.json`, and as YAML to other files. */
function writeList(list: readonly object[], path: string): void {
  writeFileSync(path, path.endsWith(".json") ? `${JSON.stringify(list, null, 2)}\n` : listAsYaml(list));
}

/** @param what for messages: "seed". @throws Error when the file cannot be read, or is neither YAML nor JSON. */
function readInput(what: string, path: string): unknown {
  return parseText(`${what} ${path}`, readText(path));
}

/** One line of the log: time, status, request, and the API method. */
function requestLine({ time, method, path, query, status, id, fault, refused }: RequestRecord): string {
  const parameters = new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) => [values].flat().map((value): [string, string] => [name, value])),
  ).toString();
  const target = parameters === "" ? path : `${path}?${parameters}`;
  const note = refused ? " [refused: sent by a web page?]" : fault === undefined ? "" : ` [fault: ${fault.join(", ")}]`;
  return `${time} ${status ?? "---"} ${method} ${target} ${id ?? "(unknown path)"}${note}\n`;
}

/** The first output: the address, and how to point the provider at it. */
function banner(emulator: Emulator, { seed, empty, data }: EmulatorCommandOptions): string {
  const env = Object.entries(emulator.env).map(([name, value]) => `  export ${name}=${value}`);
  const hasDemoProject = seed === undefined && !empty;
  return [
    `Emulator listening on ${emulator.url}${data === undefined ? "" : `, state in ${data}`}`,
    "",
    "To use it:",
    "",
    ...env,
    ...(hasDemoProject ? ["  pulumi config set perimeter:project demo-project"] : []),
    "",
    `Console: ${emulator.url}/ in a browser`,
    `Control routes: ${emulator.url}/_emulator/health and others (docs/emulator-reference.md). Ctrl-C stops it.`,
    "",
  ].join("\n");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}

/** Waits for the signal. Without one, for Ctrl-C, SIGTERM or the end of the program that runs the command. */
function untilStopped({ stop }: Terminal, runner: Runner | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (stop !== undefined) {
      if (stop.aborted) {
        resolve();
      }
      stop.addEventListener("abort", () => resolve(), { once: true });
      return;
    }
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
    if (runner) watchRunner(runner, resolve);
  });
}
