import { dirname, join } from "node:path";
import { BugError } from "../core/errors";
import { fileText } from "../core/file-text";
import { recordIn } from "../core/json";
import { isRecord, textOf, type Values } from "../core/unknown";
import { lowestOf } from "./versions";

/** What this package asks of the machine, as its package.json says it. */
export interface Needs {
  /** Lowest versions: Node.js, and the Pulumi CLI with its SDK, which are released together. */
  node: string;
  pulumi: string;
}

/** What the package.json of this package asks for, wherever the compiled file lies below it. */
export function needs(folder: string = __dirname): Needs {
  const manifest = manifestIn(folder);
  if (manifest?.name === "pulumi-perimeter") {
    const [node, pulumi] = [entry(manifest.engines, "node"), entry(manifest.peerDependencies, "@pulumi/pulumi")];
    if (node === undefined || pulumi === undefined) throw new BugError("package.json says not what it needs");
    return { node: lowestOf(node), pulumi: lowestOf(pulumi) };
  }
  const parent = dirname(folder);
  if (parent === folder) throw new BugError("package.json is not above this file");
  return needs(parent);
}

/** An installed npm package, as a program in this folder finds it. */
export interface InstalledPackage {
  version: string;
  /** The Node.js versions that it asks for. */
  node?: string;
}

/** Looks as Node.js does: in `node_modules` of the folder, then of those above it. */
export function installedPackage(name: string, folder: string): InstalledPackage | undefined {
  const manifest = manifestIn(join(folder, "node_modules", name));
  if (manifest) return { version: textOf(manifest.version), node: entry(manifest.engines, "node") };
  const parent = dirname(folder);
  return parent === folder ? undefined : installedPackage(name, parent);
}

function manifestIn(folder: string): Values | undefined {
  return recordIn(fileText(join(folder, "package.json")));
}

function entry(table: unknown, name: string): string | undefined {
  return isRecord(table) && typeof table[name] === "string" ? table[name] : undefined;
}
