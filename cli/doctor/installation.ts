import { dirname, join } from "node:path";
import { BugError } from "../../provider/core/errors";
import { fileText } from "../../provider/core/environment";
import { recordIn } from "../../provider/core/json";
import { isRecord, textOf } from "../../provider/core/unknown";
import { lowestOf, manifest } from "../../provider/version";

/** The requirements of this package, from its package.json. */
export interface Needs {
  /** Minimum versions of Node.js, and of the Pulumi CLI and its SDK, which are released together. */
  node: string;
  pulumi: string;
}

/** @throws BugError if the package.json does not state them. */
export function needs(): Needs {
  const [node, pulumi] = [entry(manifest.engines, "node"), entry(manifest.peerDependencies, "@pulumi/pulumi")];
  if (node === undefined || pulumi === undefined)
    throw new BugError("package.json does not state the required versions");
  return { node: lowestOf(node), pulumi: lowestOf(pulumi) };
}

/** An installed npm package, resolved from a program in this folder. */
export interface InstalledPackage {
  version: string;
  /** The Node.js versions that it requires. */
  node?: string;
}

/** Searches like Node.js: in `node_modules` of the folder, then of its parent folders. */
export function installedPackage(name: string, folder: string): InstalledPackage | undefined {
  const found = recordIn(fileText(join(folder, "node_modules", name, "package.json")));
  if (found) return { version: textOf(found.version), node: entry(found.engines, "node") };
  const parent = dirname(folder);
  return parent === folder ? undefined : installedPackage(name, parent);
}

function entry(table: unknown, name: string): string | undefined {
  return isRecord(table) && typeof table[name] === "string" ? table[name] : undefined;
}
