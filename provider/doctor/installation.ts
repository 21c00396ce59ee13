import { dirname, join } from "node:path";
import { BugError } from "../core/errors";
import { fileText } from "../core/file-text";
import { recordIn } from "../core/json";
import { isRecord, textOf } from "../core/unknown";
import { manifest } from "../version";
import { lowestOf } from "./versions";

/** What this package asks of the machine, as its package.json says it. */
export interface Needs {
  /** Lowest versions: Node.js, and the Pulumi CLI with its SDK, which are released together. */
  node: string;
  pulumi: string;
}

/** @throws BugError where the package.json does not say it. */
export function needs(): Needs {
  const [node, pulumi] = [entry(manifest.engines, "node"), entry(manifest.peerDependencies, "@pulumi/pulumi")];
  if (node === undefined || pulumi === undefined) throw new BugError("package.json says not what it needs");
  return { node: lowestOf(node), pulumi: lowestOf(pulumi) };
}

/** An installed npm package, as a program in this folder finds it. */
export interface InstalledPackage {
  version: string;
  /** The Node.js versions that it asks for. */
  node?: string;
}

/** Looks as Node.js does: in `node_modules` of the folder, then of those above it. */
export function installedPackage(name: string, folder: string): InstalledPackage | undefined {
  const found = recordIn(fileText(join(folder, "node_modules", name, "package.json")));
  if (found) return { version: textOf(found.version), node: entry(found.engines, "node") };
  const parent = dirname(folder);
  return parent === folder ? undefined : installedPackage(name, parent);
}

function entry(table: unknown, name: string): string | undefined {
  return isRecord(table) && typeof table[name] === "string" ? table[name] : undefined;
}
