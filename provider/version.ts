import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord, textOf } from "./core/unknown";

/** Set where the provider is bundled into one file, which has no package.json beside it. */
declare const BUNDLED_VERSION: string | undefined;

/** The package's version, from its package.json wherever the compiled file lies below it. */
export const VERSION: string = typeof BUNDLED_VERSION === "string" ? BUNDLED_VERSION : find(__dirname);

function find(directory: string): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    if (isRecord(manifest) && manifest.name === "pulumi-perimeter") return textOf(manifest.version);
  } catch {
    // Not here: look further up.
  }
  const parent = dirname(directory);
  if (parent === directory) return "0.0.0";
  return find(parent);
}
