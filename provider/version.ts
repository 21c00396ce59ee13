import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The package's version, from its package.json wherever the compiled file lies below it. */
export const VERSION: string = find(__dirname);

function find(directory: string): string {
  try {
    const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
      name?: string;
      version: string;
    };
    if (manifest.name === "pulumi-perimeter") return manifest.version;
  } catch {
    // Not here: look further up.
  }
  const parent = dirname(directory);
  if (parent === directory) return "0.0.0";
  return find(parent);
}
