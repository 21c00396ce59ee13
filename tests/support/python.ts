/** Python for programs run by the engine: one virtual environment with Pulumi's SDK, kept in the cache folder. */
import { spawnSync } from "node:child_process";
import * as path from "node:path";
import { missingHost, repositoryRoot } from "./engine";

export interface PythonEnvironment {
  python: string;
  /** Goes on the program's PATH. */
  bin: string;
  /** Goes into the program's environment: older language hosts are not told of the environment in Pulumi.yaml. */
  env: Record<string, string>;
}

let found: PythonEnvironment | { missing: string } | undefined;

/** The environment, or why there can be none here. Takes about 20 s on a machine that never had it. */
export function ensureVenv(): PythonEnvironment | { missing: string } {
  found ??= missing(missingHost("python")) ?? create();
  return found;
}

function missing(reason: string | undefined): { missing: string } | undefined {
  return reason === undefined ? undefined : { missing: reason };
}

function create(): PythonEnvironment | { missing: string } {
  const script = path.join(repositoryRoot, "tools/engine/python.sh");
  const result = spawnSync("bash", [script], { encoding: "utf8" });
  if (result.status === 3) return { missing: lastLine(result.stderr) };
  if (result.status !== 0) throw new Error(`tools/engine/python.sh failed:\n${result.stderr}`);
  const root = result.stdout.trim();
  const bin = path.join(root, "bin");
  return { python: path.join(bin, "python"), bin, env: { VIRTUAL_ENV: root, PYTHONDONTWRITEBYTECODE: "1" } };
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
