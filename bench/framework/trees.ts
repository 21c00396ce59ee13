import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { dependencies } from "../../package.json";
import { cacheFolder, removeOld } from "../../tests/support/cache";
import { repositoryRoot } from "../../tests/support/engine";
import { linkPackage, PROGRAM_PACKAGES } from "../../tests/support/node-modules";

/** The build of this tree or of an earlier version of the repository. */
export interface Tree {
  /** The name of a row for this tree. */
  named(name: string): string;
  root: string;
  /** The folder of the plugin on Node.js. */
  bin: string;
  /** The folder of the executable, if it was compiled. */
  executable: string | undefined;
}

/**
 * This tree and, where PERIMETER_BENCH_BEFORE names the folder of an earlier version in which `make build` ran, that one:
 * its plugin and package then take turns with those of this tree.
 */
export function trees(): [Tree, ...Tree[]] {
  const earlier = process.env.PERIMETER_BENCH_BEFORE;
  return [tree(repositoryRoot, ""), ...(earlier ? [tree(resolve(earlier), ", before")] : [])];
}

function tree(root: string, suffix: string): Tree {
  const bin = join(root, "bin");
  const executable = join(bin, `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`);
  for (const needed of [join(bin, "pulumi-resource-perimeter"), join(root, "dist/provider/dynamic/index.js")]) {
    if (!existsSync(needed)) throw new Error(`${needed} is missing: run \`make build\` in ${root}`);
  }
  return {
    named: (name) => name + suffix,
    root,
    bin,
    executable: existsSync(executable) ? executable : undefined,
  };
}

const made = new Map<string, string>();

/** A node_modules folder with the npm package of a tree, and what programs need, which is this repository's for all trees. */
export function nodeModulesOf({ root }: Tree): string {
  const before = made.get(root);
  if (before !== undefined) return before;
  const all = cacheFolder("bench-packages");
  removeOld(all);
  const folder = mkdtempSync(join(all, "modules-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const nodeModules = join(folder, "node_modules");
  for (const entry of ["package.json", "dist"])
    cpSync(join(root, entry), join(nodeModules, "pulumi-perimeter", entry), { recursive: true });
  for (const name of Object.keys(dependencies)) linkPackage(nodeModules, name, join(root, "node_modules", name));
  for (const name of PROGRAM_PACKAGES) linkPackage(nodeModules, name, join(repositoryRoot, "node_modules", name));
  made.set(root, nodeModules);
  return nodeModules;
}
