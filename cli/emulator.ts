import { accessSync, constants, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isNativeError } from "node:util/types";
import {
  checkSeed,
  demoSeed,
  parseText,
  seedAsYaml,
  startEmulator,
  type ConfigPatch,
  type Emulator,
  type EmulatorOptions,
  type RequestRecord,
} from "../emulator";
import { readText, unusable } from "./files";
import type { Terminal } from "./terminal";

/** Options of `perimeter emulator`, with commander's names: `operationMs` is `--operation-ms`. */
export interface EmulatorCommandOptions {
  port: number;
  host: string;
  allowHost: string[];
  operationMs?: number;
  /** Paths of files. */
  seed?: string[];
  /** Path of a file; so are `faults` and `config`. */
  export?: string;
  empty?: boolean;
  /** Path of a folder. */
  data?: string;
  faults?: string;
  config?: string;
  verbose?: boolean;
}

/**
 * Serves the APIs until Ctrl-C, SIGTERM or `terminal.stop`.
 *
 * @throws Error for a file that cannot be read, or has mistakes, and for a port that another program uses.
 */
export async function runEmulator(options: EmulatorCommandOptions, terminal: Terminal): Promise<void> {
  if (options.export !== undefined) checkWritable(options.export);
  const emulator = await startEmulator(startOptions(options, terminal)).catch((error: unknown) => {
    throw listenError(error, options) ?? error;
  });
  if (!isLoopback(options.host)) {
    terminal.writeError(
      `warning: listening on ${options.host}: everyone who reaches this address can read and change the emulator\n`,
    );
  }
  terminal.write(banner(emulator, options));
  await untilStopped(terminal.stop);
  try {
    if (options.export !== undefined) {
      writeExport(emulator, options.export);
      terminal.write(`Resources written to ${options.export}.\n`);
    }
  } finally {
    await emulator.stop();
  }
  terminal.write("Stopped.\n");
}

/** The emulator's options. `--operation-ms` wins over `operationMs` in the file of `--config`. */
function startOptions(options: EmulatorCommandOptions, terminal: Terminal): EmulatorOptions {
  const { port, host, allowHost, operationMs, seed, empty, data, faults, config, verbose } = options;
  const switches = config === undefined ? {} : ((readInput("configuration", config) ?? {}) as ConfigPatch);
  return {
    ...switches,
    operationMs: operationMs ?? switches.operationMs,
    host,
    port,
    allowedHosts: allowHost,
    data,
    seed: seed !== undefined ? readSeedFiles(seed) : empty ? [] : demoSeed,
    faults: faults === undefined ? [] : readInput("fault plan", faults),
    onRequest: (record) => {
      // A URL that no API has, or a host name that the emulator does not know, is hard to see from the client: always shown.
      if (verbose || record.id === undefined || record.refused) {
        terminal.write(requestLine(record));
      }
    },
  };
}

/** All files as one seed; of a resource that several hold, the last one counts. @throws InputError that names the file */
function readSeedFiles(paths: readonly string[]): unknown[] {
  return paths.flatMap((path) => {
    const list = readInput("seed", path) ?? [];
    checkSeed(list, `seed ${path}`);
    return list;
  });
}

/** At the start: at the end it would be too late, and what the run has made would be lost. @throws Error that names the file */
function checkWritable(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw unusable(path, "written", error);
  }
}

/** What to do where the address cannot be listened on; undefined for other errors. */
function listenError(error: unknown, { host, port }: EmulatorCommandOptions): Error | undefined {
  const code = isNativeError(error) ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === "EADDRINUSE") {
    const remedy = "stop that, or take another port with --port; --port 0 takes a free one";
    return new Error(`Port ${port} of ${host} is in use, perhaps by another emulator: ${remedy}`, { cause: error });
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new Error(`--host ${host} is no address of this machine (${code})`, { cause: error });
  }
  return undefined;
}

/** At the end, so that what the run has made can be looked at, compared, or seeded again. */
function writeExport(emulator: Emulator, path: string): void {
  const seed = emulator.export();
  writeFileSync(path, path.endsWith(".json") ? `${JSON.stringify(seed, null, 2)}\n` : seedAsYaml(seed));
}

/** @param what for messages: "seed". @throws Error when the file cannot be read, or is neither YAML nor JSON. */
function readInput(what: string, path: string): unknown {
  return parseText(`${what} ${path}`, readText(path));
}

/** One line of the log: time, status, request, and the method of the API that answered it. */
function requestLine({ time, method, path, query, status, id, fault, refused }: RequestRecord): string {
  const parameters = new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) => [values].flat().map((value): [string, string] => [name, value])),
  ).toString();
  const target = parameters === "" ? path : `${path}?${parameters}`;
  const note = refused ? " [refused: sent by a web page?]" : fault === undefined ? "" : ` [fault: ${fault.join(", ")}]`;
  return `${time} ${status ?? "---"} ${method} ${target} ${id ?? "(unknown path)"}${note}\n`;
}

/** What the user reads first: the address, and how to point the provider at it. */
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
    `Control routes: ${emulator.url}/_emulator/health and others (docs/emulator.md). Ctrl-C stops it.`,
    "",
  ].join("\n");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}

/** Waits for the signal, or without one for Ctrl-C or SIGTERM. */
function untilStopped(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal !== undefined) {
      if (signal.aborted) {
        resolve();
      }
      signal.addEventListener("abort", () => resolve(), { once: true });
      return;
    }
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
}
