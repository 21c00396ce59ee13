import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, run } from "../run";

export const NPM_OPTIONS = ["--loglevel=error", "--no-audit", "--no-fund", "--no-update-notifier"];

interface Manifest {
  files: string[];
  scripts?: object;
  devDependencies?: object;
  overrides?: object;
  prettier?: object;
}

/** What npm packs of each package, beside what its package.json names. */
const ALWAYS = ["README.md", "LICENSE"];

/**
 * Packs dist/ from `make build` to `out`. The packed package.json has only what users need: the files that scripts name are not in
 * the package, and npm warns of them.
 *
 * @param work an empty folder
 */
export function packNpmPackage(out: string, work: string): void {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
  // Whole folders, of which npm packs what the patterns in `files` match.
  const named = manifest.files.filter((pattern) => !pattern.startsWith("!")).map((pattern) => pattern.split("/*")[0]);
  for (const name of new Set([...named, ...ALWAYS] as string[])) {
    cpSync(join(ROOT, name), join(work, name), { recursive: true });
  }
  for (const key of ["scripts", "devDependencies", "overrides", "prettier"] as const) delete manifest[key];
  writeFileSync(join(work, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  run("npm", ["pack", "--ignore-scripts", ...NPM_OPTIONS, "--pack-destination", out], { cwd: work });
}
