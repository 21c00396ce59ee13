import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../run";

export interface BundledPackage {
  name: string;
  version: string;
  /** The text of the package's licence, or its SPDX identifier where the package has no such text. */
  license: string;
}

/** The packages of a bundle's sources, by name: their licenses must be distributed with the code. */
export function packagesOf(sources: readonly string[]): BundledPackage[] {
  const folders = sources.flatMap((source) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? []);
  return [...new Set(folders)].sort().map(packageIn);
}

function packageIn(folder: string): BundledPackage {
  const place = join(ROOT, folder);
  const manifest = JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as Record<string, string>;
  const { name, version, license } = manifest;
  if (!name || !version) throw new Error(`${folder}/package.json names no package`);
  const text = readdirSync(place).find((file) => /^(licen[cs]e|copying)/i.test(file));
  if (text !== undefined) return { name, version, license: readFileSync(join(place, text), "utf8").trim() };
  if (license) return { name, version, license };
  throw new Error(`${name} ${version} says nothing of its licence`);
}

/** The license text for a program that contains these packages. */
export function notices(packages: readonly BundledPackage[]): string {
  return packages.map(({ name, version, license }) => `${name} ${version}\n\n${license}\n`).join("\n");
}
