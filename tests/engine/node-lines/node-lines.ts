import { existsSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../../support/cache";
import { npmFailure } from "../../support/npm-folder";
import { onceInRun } from "../../support/once-in-run";

/** The Node lines with long-term support beside the one that runs the tests, each at one exact version. */
export const NODE_LINES = ["22.23.3", "24.21.0", "26.10.0"];

/** The last version of the line before the oldest that the package runs on. */
export const OLD_NODE = "18.20.8";

/** The executable of a Node version, from the packages that npm's `node` package installs; or why there is none. */
export function nodeOf(version: string): { path: string } | { missing: string } {
  const folder = cacheFolder(`node-${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  const path = join(folder, "node_modules", name, "bin", "node");
  if (existsSync(path)) return { path };
  const wanted = `${name}@${version}`;
  const failure = onceInRun(`npm install of ${wanted}`, () =>
    npmFailure(folder, ["install", "--no-save", "--ignore-scripts", "--prefix", folder, wanted]),
  );
  if (failure !== undefined) return { missing: `${wanted} cannot be installed here: ${failure}` };
  return existsSync(path) ? { path } : { missing: `${wanted} has no bin/node` };
}
