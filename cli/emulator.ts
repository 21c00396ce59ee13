import { readFileSync } from "node:fs";
import {
  demoSeed,
  parseText,
  startEmulator,
  type ConfigPatch,
  type Emulator,
  type EmulatorOptions,
  type RequestRecord,
} from "../emulator";

/** Options of `perimeter emulator`, as commander hands them over. */
export interface EmulatorCommandOptions {
  port: number;
  host: string;
  operationMs: number;
  seed?: string;
  empty?: boolean;
  data?: string;
  faults?: string;
  config?: string;
  verbose?: boolean;
}

export interface Output {
  write(text: string): void;
  complain(text: string): void;
  stop?: AbortSignal;
}

/** Serves until Ctrl-C, SIGTERM or `output.stop`. @throws Error for a file that cannot be used or a port that is taken */
export async function runEmulator(options: EmulatorCommandOptions, output: Output): Promise<void> {
  const emulator = await startEmulator(startOptions(options, output));
  if (!isLoopback(options.host)) {
    output.complain(
      `warning: listening on ${options.host}: everyone who reaches this address can read and change the emulator\n`,
    );
  }
  output.write(banner(emulator, options));
  await stopped(output.stop);
  await emulator.stop();
  output.write("Stopped.\n");
}

function startOptions(options: EmulatorCommandOptions, output: Output): EmulatorOptions {
  const { port, host, operationMs, seed, empty, data, faults, config, verbose } = options;
  const switches = config === undefined ? {} : (readInput("configuration", config) as ConfigPatch);
  return {
    ...switches,
    operationMs: operationMs || (switches.operationMs ?? 0),
    host,
    port,
    data,
    seed: seed !== undefined ? readInput("seed", seed) : empty ? [] : demoSeed,
    faults: faults === undefined ? [] : readInput("fault plan", faults),
    onRequest: (record) => {
      // A wrong URL is the mistake that is hardest to see from the client: always shown.
      if (verbose || record.id === undefined) {
        output.write(line(record));
      }
    },
  };
}

function readInput(what: string, path: string): unknown {
  return parseText(`${what} ${path}`, readFileSync(path, "utf8"));
}

function line({ time, method, path, query, status, id, fault }: RequestRecord): string {
  const parameters = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one])),
  ).toString();
  const target = parameters === "" ? path : `${path}?${parameters}`;
  const note = fault === undefined ? "" : ` [fault: ${fault.join(", ")}]`;
  return `${time} ${status ?? "---"} ${method} ${target} ${id ?? "(unknown path)"}${note}\n`;
}

function banner(emulator: Emulator, { seed, empty, data }: EmulatorCommandOptions): string {
  const env = Object.entries(emulator.env).map(([name, value]) => `  export ${name}=${value}`);
  const demo = seed === undefined && !empty;
  return [
    `Emulator listening on ${emulator.url}${data === undefined ? "" : `, state in ${data}`}`,
    "",
    "To use it:",
    "",
    ...env,
    ...(demo ? ["  pulumi config set perimeter:project demo-project"] : []),
    "",
    `Control routes: ${emulator.url}/_emulator/health and others (docs/emulator.md). Ctrl-C stops it.`,
    "",
  ].join("\n");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}

function stopped(signal: AbortSignal | undefined): Promise<void> {
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
