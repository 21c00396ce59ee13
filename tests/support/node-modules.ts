/** node_modules folders of links, for programs outside of the repository. */
import * as fs from "node:fs";
import * as path from "node:path";

/** What a TypeScript program has beside this package. */
export const PROGRAM_PACKAGES = ["@pulumi/pulumi", "typescript", "ts-node", "@types/node"];

/** Makes a folder the package with this name, or the scope with all its packages, of a node_modules folder. */
export function linkPackage(nodeModules: string, name: string, folder: string): void {
  const place = path.join(nodeModules, name);
  fs.mkdirSync(path.dirname(place), { recursive: true });
  // A junction needs no rights on Windows, and an absolute target.
  fs.symlinkSync(path.resolve(folder), place, "junction");
}

/** Links all packages of another node_modules folder into this one. @param own folders by name, which win over those */
export function linkPackages(nodeModules: string, from: string, own: Record<string, string> = {}): void {
  const scopes = new Set(Object.keys(own).map((name) => (name.startsWith("@") ? name.split("/")[0] : "")));
  for (const [name, folder] of Object.entries(own)) linkPackage(nodeModules, name, folder);
  for (const entry of fs.readdirSync(from)) {
    if (entry === ".package-lock.json" || entry === ".cache" || entry in own) continue;
    // Links a scope (`@pulumi`) as a whole, unless one of the given packages goes into it.
    const names = scopes.has(entry)
      ? fs.readdirSync(path.join(from, entry)).map((name) => `${entry}/${name}`)
      : [entry];
    for (const name of names) if (!(name in own)) linkPackage(nodeModules, name, path.join(from, name));
  }
}
