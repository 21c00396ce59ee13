import { copyFileSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { devDependencies } from "../../package.json";
import { REPOSITORY, VERSION } from "../../provider/version";
import { buildExecutable, bundleWithSources, writeScript } from "../build-plugin";
import { PLUGIN, type Platform } from "../build-plugin-platforms";
import { ROOT } from "../run";
import { archive } from "./archive";
import { notices, packagesOf, type BundledPackage } from "./licenses";

/** Maximum size of the archive for a platform, in bytes. */
const LARGEST_ARCHIVE = 60_000_000;

/** Executables contain Bun, whose npm package has no license text. */
const BUN: BundledPackage = {
  name: "bun",
  version: devDependencies.bun,
  license:
    "MIT. It holds JavaScriptCore (LGPL-2) and other libraries. https://bun.com/docs/project/license lists them, and tells\n" +
    "how to link it anew; the source of this plugin, from which it is built with any Bun, is at\n" +
    `${REPOSITORY}`,
};

/** The name of the archive that the engine requests: https://www.pulumi.com/docs/iac/extending-pulumi/publishing-packages/ */
export function archiveName(platform: Platform | "node"): string {
  const [system, processor] = platform.split("-");
  const suffix = platform === "node" ? "node" : `${system}-${processor === "x64" ? "amd64" : processor}`;
  return `${PLUGIN}-v${VERSION}-${suffix}.tar.gz`;
}

/**
 * Archives the plugin for each platform, and as a script for Node.js.
 *
 * @returns the packages in the plugin
 * @throws Error when an archive is too large
 */
export async function pluginArchives(
  out: string,
  work: string,
  platforms: readonly Platform[],
  time: Date,
  level?: number,
): Promise<BundledPackage[]> {
  mkdirSync(out, { recursive: true });
  const { text, sources } = await bundleWithSources();
  const packages = packagesOf(sources);
  const pack = async (folder: string, name: string, held: readonly BundledPackage[]) => {
    copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
    writeFileSync(join(folder, "THIRD-PARTY-LICENSES"), notices(held));
    await archive(folder, join(out, name), time, level);
  };
  const script = join(work, "node");
  writeScript(text, script);
  await pack(script, archiveName("node"), packages);

  const built = join(work, "executables");
  for (const platform of platforms) buildExecutable(text, built, platform);
  await Promise.all(
    platforms.map((platform) => pack(join(built, platform), archiveName(platform), [...packages, BUN])),
  );
  for (const platform of platforms) {
    const { size } = statSync(join(out, archiveName(platform)));
    if (size > LARGEST_ARCHIVE) throw new Error(`${archiveName(platform)} has ${size} bytes, over ${LARGEST_ARCHIVE}`);
  }
  return packages;
}
