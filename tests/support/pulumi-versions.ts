/** Node packages of programs as npm installs them, with the oldest and the newest SDK of Pulumi that this package works with. */
import * as fs from "node:fs";
import * as path from "node:path";
import { devDependencies, peerDependencies } from "../../package.json";
import { lowestOf } from "../../provider/version";
import { cacheFolder, removeOld } from "./cache";
import { npmFailure } from "./npm-folder";
import { onceInRun } from "./once-in-run";
import { packedPackage } from "./pack";
import { nodeSdk } from "./plugin";

const SDK = "@pulumi/pulumi";

/**
 * The oldest version that the package accepts, the version of this repository, and the newest. The newest is pinned, so that
 * a new release of Pulumi does not change the result of a commit.
 */
export const PULUMI_VERSIONS = [lowestOf(peerDependencies[SDK]), devDependencies[SDK], "3.270.0"];

/**
 * Installs this package's tarball, the SDK of the plugin and a version of Pulumi's SDK into one folder, once.
 *
 * @returns the folder's node_modules; or why the version cannot be installed here.
 */
export function nodeModulesWith(version: string): { nodeModules: string } | { missing: string } {
  const { tarball } = packedPackage();
  const sdk = nodeSdk();
  const all = cacheFolder("pulumi-versions");
  const folder = path.join(all, [version, path.basename(path.dirname(tarball)), path.basename(sdk)].join("-"));
  const nodeModules = path.join(folder, "node_modules");
  if (fs.existsSync(nodeModules)) return { nodeModules };
  removeOld(all);
  const failure = onceInRun(`npm install in ${folder}`, () => installFailure(folder, version, [tarball, sdk]));
  return failure === undefined
    ? { nodeModules }
    : { missing: `${SDK} ${version} cannot be installed here: ${failure}` };
}

/** Installs a version into a new folder. @returns why it cannot be installed here; undefined if it was */
function installFailure(folder: string, version: string, own: readonly string[]): string | undefined {
  const draft = `${folder}.${process.pid}`;
  fs.mkdirSync(draft);
  fs.writeFileSync(path.join(draft, "package.json"), "{}");
  const typescript = ["typescript", "ts-node"] as const;
  const packages = [`${SDK}@${version}`, ...own, ...typescript.map((name) => `${name}@${devDependencies[name]}`)];
  // With --install-links, npm copies the SDK. It would find another version of Pulumi's SDK through a link.
  const failure = npmFailure(draft, ["install", "--install-links", "--ignore-scripts", ...packages]);
  if (failure === undefined) fs.renameSync(draft, folder);
  else fs.rmSync(draft, { recursive: true, force: true });
  return failure;
}
