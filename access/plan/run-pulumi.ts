import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

/** Pulumi's CLI could not be started, or failed. The message quotes its standard error, and never its standard output. */
export class PulumiError extends Error {
  override readonly name = "PulumiError";
}

/** How Pulumi runs. */
export interface PulumiOptions {
  /** The folder of the Pulumi project, or a subfolder. @default the process's working directory */
  cwd?: string;
  /** Pulumi's CLI. @default "pulumi", looked up on PATH */
  pulumi?: string;
  /** Environment variables of Pulumi and its plugins. @default process.env */
  environment?: Readonly<Record<string, string | undefined>>;
}

export interface PulumiOutput {
  stdout: string;
  stderr: string;
  exitCode: number;
}

export const INSTALL_PAGE = "https://www.pulumi.com/docs/install/";

/**
 * Runs Pulumi to its end, without a shell and without a terminal, so that it asks no questions.
 *
 * @throws PulumiError when it cannot be started or a signal ended it.
 */
export function runPulumi(
  args: readonly string[],
  { cwd = process.cwd(), pulumi = "pulumi", environment = process.env }: PulumiOptions = {},
): Promise<PulumiOutput> {
  const { PULUMI_ENABLE_STREAMING_JSON_PREVIEW: _stream, ...env } = environment;
  const child = spawn(pulumi, [...args, "--non-interactive"], {
    cwd,
    env: { ...env, PULUMI_SKIP_UPDATE_CHECK: "true" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", (error: NodeJS.ErrnoException) => {
      // A working directory that does not exist has the same code.
      const isMissing = error.code === "ENOENT" && pulumi === "pulumi" && existsSync(cwd);
      const why = isMissing ? `the Pulumi CLI is not on PATH. Install it: ${INSTALL_PAGE}` : error.message;
      reject(new PulumiError(`Could not run ${commandOf(pulumi, args)}: ${why}`));
    });
    child.on("close", (exitCode, signal) => {
      if (exitCode === null) {
        reject(new PulumiError(`${commandOf(pulumi, args)} was stopped by ${signal ?? "a signal"}`));
        return;
      }
      const [out, err] = [stdout, stderr].map((chunks) => Buffer.concat(chunks).toString("utf8"));
      resolve({ stdout: out ?? "", stderr: err ?? "", exitCode });
    });
  });
}

/**
 * The standard output of Pulumi.
 *
 * @throws PulumiError when it failed, and the errors of `runPulumi`.
 */
export async function outputOf(args: readonly string[], options?: PulumiOptions): Promise<string> {
  const output = await runPulumi(args, options);
  if (output.exitCode !== 0) throw pulumiFailed(args, output, options);
  return output.stdout;
}

/** The largest numbers of lines that messages quote. */
const FIRST_LINES = 3;
const LAST_LINES = 2;

/** The first and the last ones of a list. Those of a stack trace say what failed, and why. @param gap stands for the others */
export function firstAndLast(all: readonly string[], gap = "…"): string[] {
  if (all.length <= FIRST_LINES + LAST_LINES) return [...all];
  return [...all.slice(0, FIRST_LINES), gap, ...all.slice(-LAST_LINES)];
}

export function pulumiFailed(
  args: readonly string[],
  { stderr, exitCode }: PulumiOutput,
  { pulumi = "pulumi" }: PulumiOptions = {},
): PulumiError {
  const lines = stripVTControlCharacters(stderr)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const said = firstAndLast(lines).join("\n  ") || "(it printed no error)";
  return new PulumiError(`${commandOf(pulumi, args)} failed with exit code ${exitCode}:\n  ${said}`);
}

function commandOf(pulumi: string, args: readonly string[]): string {
  return `\`${[pulumi, ...args].join(" ")}\``;
}
