import { copyFileSync, mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { devDependencies } from "../../package.json";
import { REPOSITORY, VERSION } from "../../provider/version";
import { buildExecutable, bundles, writeScript } from "../build-plugin";
import { COMMAND, executableName, PLUGIN, type Platform } from "../build-plugin-platforms";
import { ROOT } from "../run";
import { archive } from "./archive";
import { notices, packagesOf, type BundledPackage } from "./licenses";

/** Maximum size of the archive for a platform, in bytes. */
const LARGEST_ARCHIVE = 65_000_000;

/** Executables contain Bun, whose npm package has no license text. */
const BUN: BundledPackage = {
  name: "bun",
  version: devDependencies.bun,
  license:
    "MIT. It holds JavaScriptCore (LGPL-2) and other libraries. https://bun.com/docs/project/license lists them, and tells\n" +
    "how to link it anew; the source of this plugin, from which it is built with any Bun, is at\n" +
    `${REPOSITORY}`,
};

/**
 * The name of the archive that the engine requests (https://www.pulumi.com/docs/iac/extending-pulumi/publishing-packages/), or of
 * the archive with the same executable under the name of the command.
 */
export function archiveName(platform: Platform | "node", name = PLUGIN): string {
  const [system, processor] = platform.split("-");
  const suffix = platform === "node" ? "node" : `${system}-${processor === "x64" ? "amd64" : processor}`;
  return `${name}-v${VERSION}-${suffix}.tar.gz`;
}

/**
 * Archives the executable for each platform, under the name of the plugin and under the name of the command, and the plugin as
 * a script for Node.js.
 *
 * @param level of gzip, for archives that nobody downloads: they are made in less time, and may be larger
 * @param makeExecutable for tests that have the executable of this platform already
 * @returns the packages in the executables
 * @throws Error when an archive is too large
 */
export async function pluginArchives(
  out: string,
  work: string,
  platforms: readonly Platform[],
  time: Date,
  level?: number,
  makeExecutable = buildExecutable,
): Promise<BundledPackage[]> {
  mkdirSync(out, { recursive: true });
  const bundled = await bundles();
  const inPlugin = packagesOf(bundled.plugin.sources);
  const packages = packagesOf([...bundled.plugin.sources, ...bundled.command.sources]);
  const pack = async (folder: string, name: string, held: readonly BundledPackage[]) => {
    copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
    writeFileSync(join(folder, "THIRD-PARTY-LICENSES"), notices(held));
    await archive(folder, join(out, name), time, level);
  };
  const script = join(work, "node");
  writeScript(bundled.plugin.text, script);
  await pack(script, archiveName("node"), inPlugin);

  const built = join(work, "executables");
  for (const platform of platforms) makeExecutable(bundled, built, platform);
  const packAll = (name: string) =>
    Promise.all(
      platforms.map((platform) => pack(join(built, platform), archiveName(platform, name), [...packages, BUN])),
    );
  await packAll(PLUGIN);
  for (const platform of platforms) {
    const file = (name: string) => join(built, platform, executableName(platform, name));
    renameSync(file(PLUGIN), file(COMMAND));
  }
  await packAll(COMMAND);
  const largest = level === undefined ? LARGEST_ARCHIVE : Infinity;
  for (const file of platforms.flatMap((each) => [PLUGIN, COMMAND].map((name) => archiveName(each, name)))) {
    const { size } = statSync(join(out, file));
    if (size > largest) throw new Error(`${file} has ${size} bytes, over ${largest}`);
  }
  return packages;
}
