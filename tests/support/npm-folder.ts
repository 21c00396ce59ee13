/** Packages that some tests need and nobody else: each in a folder with a lock file, installed when a test first asks. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onceInRun } from "./once-in-run";

/**
 * Installs the packages of a folder, and again when the wanted version has changed. A run of the tests tries it once.
 *
 * @param folder has a package.json with one dependency, and a lock file
 * @param what what is installed, and its size: `a package registry (about 60 MB)`
 * @returns why the packages cannot be installed here; undefined where they are installed
 */
export function missingPackages(folder: string, what: string): string | undefined {
  const { dependencies } = readJson(join(folder, "package.json")) as { dependencies: Record<string, string> };
  const [[name, version] = ["", ""]] = Object.entries(dependencies);
  const installed = join(folder, "node_modules", name, "package.json");
  if (existsSync(installed) && (readJson(installed) as { version: string }).version === version) return undefined;
  const failure = onceInRun(`npm ci in ${folder}`, () => {
    process.stderr.write(`Installing ${what} for tests, once ...\n`);
    return npmFailure(folder, ["ci"]);
  });
  if (failure === undefined) return undefined;
  const reason = `npm did not get ${what}: ${failure}`;
  process.stderr.write(`Skipped: ${reason}.\n`);
  return reason;
}

/** Runs npm in a folder, and shows what it writes to stderr. @returns why it failed; undefined if it did not */
export function npmFailure(folder: string, args: readonly string[]): string | undefined {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  try {
    const all = [...args, "--no-audit", "--no-fund", "--loglevel=error"];
    execFileSync(npm, all, { cwd: folder, stdio: ["ignore", "ignore", "inherit"], timeout: 600_000 });
    return undefined;
  } catch (error) {
    return (error as Error).message.split("\n")[0] ?? "";
  }
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
