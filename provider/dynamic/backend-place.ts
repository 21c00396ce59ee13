import { createRequire } from "node:module";
import * as path from "node:path";
import { ConfigurationError } from "../core/errors";

const BACKEND = "pulumi-perimeter/backend";

let found = false;

/**
 * Refuses a program that was bundled into one file and runs without its packages. Its lookups would work, but resources are
 * served by another process, Pulumi's dynamic-provider process, which loads this package by its name from the program's
 * folder: "Cannot find module" is all that would be said.
 *
 * The package finds itself wherever it is installed. The code of a bundle stands elsewhere, and then the program's folder
 * decides.
 *
 * @throws ConfigurationError
 */
export function requireInstalledPackage(): void {
  found ||= places().some(canLoadBackend);
  if (found) return;
  throw new ConfigurationError(
    `The package pulumi-perimeter is not installed where this program runs (looked from ${places().join(" and ")}), as ` +
      "when a program is bundled into one file. Its resources are served by a process of their own, which loads the package " +
      "from node_modules. Leave the packages out of the bundle (esbuild: --packages=external) and install them beside it, " +
      "or use the plugin's SDK, pulumi-perimeter-sdk",
  );
}

/** The folders of this code, which an ES module has no name for, and of the program. */
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
