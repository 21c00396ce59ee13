import { createRequire } from "node:module";
import * as path from "node:path";
import { ConfigurationError } from "../core/errors";

const BACKEND = "pulumi-perimeter/backend";

let found = false;

/**
 * Refuses a program that was bundled into one file and runs without its packages. Its lookups would work, but another
 * process, Pulumi's dynamic-provider process, serves resources. It loads this package by its name from the program's folder,
 * and its only error would be "Cannot find module". An installed package can resolve itself. Code in a bundle cannot, and
 * then the program's folder is searched.
 *
 * @throws ConfigurationError
 */
export function requireInstalledPackage(): void {
  found ||= places().some(canLoadBackend);
  if (found) return;
  throw new ConfigurationError(
    `The package pulumi-perimeter is not installed where this program runs (looked from ${places().join(" and ")}), as ` +
      "when a program is bundled into one file. A separate process serves its resources, and loads the package " +
      "from node_modules. Keep the packages out of the bundle (esbuild: --packages=external) and install them next to it, " +
      "or use the plugin's SDK, pulumi-perimeter-sdk",
  );
}

/** The folders of this code (unknown in an ES module) and of the program. */
function places(): string[] {
  const own = typeof __dirname === "string" ? [__dirname] : [];
  return [...new Set([...own, process.cwd()])];
}

function canLoadBackend(folder: string): boolean {
  try {
    createRequire(path.join(folder, "any.js")).resolve(BACKEND);
    return true;
  } catch {
    return false;
  }
}
