import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT, run } from "../run";

export const NPM_OPTIONS = ["--loglevel=error", "--no-audit", "--no-fund", "--no-update-notifier"];

interface Manifest {
  scripts?: object;
  devDependencies?: object;
  overrides?: object;
  prettier?: object;
}

/**
 * Packs dist/ from `make build` to `out`. The packed package.json has only what users need: the files that scripts name are not in
 * the package, and npm warns of them.
 *
 * @param work an empty folder
 */
export function packNpmPackage(out: string, work: string): void {
  const pack = ["pack", "--ignore-scripts", ...NPM_OPTIONS];
  const listed = Object.values(JSON.parse(run("npm", [...pack, "--dry-run", "--json"])) as object);
  const [{ files }] = listed as [{ files: { path: string }[] }];
  for (const { path } of files) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    cpSync(join(ROOT, path), join(work, path));
  }
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
  for (const key of ["scripts", "devDependencies", "overrides", "prettier"] as const) delete manifest[key];
  writeFileSync(join(work, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  run("npm", [...pack, "--pack-destination", out], { cwd: work });
}
