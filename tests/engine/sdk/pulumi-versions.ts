/** Node packages of programs as npm installs them, with the oldest and the newest SDK of Pulumi that this package works with. */
import * as fs from "node:fs";
import * as path from "node:path";
import { dependencies, devDependencies, peerDependencies } from "../../../package.json";
import { lowestOf } from "../../../provider/version";
import { cacheFolder, removeOld } from "../../support/cache";
import { repositoryRoot } from "../../support/engine";
import { linkPackage, linkPackages } from "../../support/node-modules";
import { npmFailure } from "../../support/npm-folder";
import { onceInRun } from "../../support/once-in-run";
import { packedPackage } from "../../support/pack";
import { nodeSdk } from "../../support/plugin";

const SDK = "@pulumi/pulumi";
const TYPESCRIPT = ["typescript", "ts-node"] as const;

/**
 * The oldest version that the package accepts, the version of this repository, and the newest. The newest is pinned, so that
 * a new release of Pulumi does not change the result of a commit.
 */
export const PULUMI_VERSIONS = [lowestOf(peerDependencies[SDK]), devDependencies[SDK], "3.276.0"];

/**
 * A version of Pulumi's SDK as npm installs it, with this package and the SDK of the plugin beside it. npm installs a version
 * once, not once for each build of this package.
 *
 * @returns the folder's node_modules; or why the version cannot be installed here.
 */
export function nodeModulesWith(version: string): { nodeModules: string } | { missing: string } {
  const all = cacheFolder("pulumi-versions");
  const wanted = [`${SDK}@${version}`, ...TYPESCRIPT.map((name) => `${name}@${devDependencies[name]}`)];
  const installed = path.join(all, wanted.join("-").replaceAll("/", "-"));
  if (!fs.existsSync(installed)) {
    removeOld(all);
    const failure = onceInRun(`npm install in ${installed}`, () => installFailure(installed, wanted));
    if (failure !== undefined) return { missing: `${SDK} ${version} cannot be installed here: ${failure}` };
  }
  return { nodeModules: withOwnPackages(path.join(installed, "node_modules"), all, version) };
}

/** Installs packages into a new folder. @returns why they cannot be installed here; undefined if they were */
function installFailure(folder: string, packages: readonly string[]): string | undefined {
  const draft = `${folder}.${process.pid}`;
  fs.mkdirSync(draft);
  fs.writeFileSync(path.join(draft, "package.json"), "{}");
  const failure = npmFailure(draft, ["install", "--ignore-scripts", ...packages]);
  if (failure === undefined) fs.renameSync(draft, folder);
  else fs.rmSync(draft, { recursive: true, force: true });
  return failure;
}

/** Copies this package and the SDK of the plugin beside links to the installed packages: through a link, they would find another SDK. */
function withOwnPackages(installed: string, all: string, version: string): string {
  const packed = path.join(packedPackage().nodeModules, "pulumi-perimeter");
  const sdk = nodeSdk();
  const key = [version, path.basename(path.dirname(path.dirname(packed))), path.basename(sdk)].join("-");
  const nodeModules = path.join(all, key, "node_modules");
  if (fs.existsSync(nodeModules)) return nodeModules;
  const draft = path.join(all, `${key}.${process.pid}`);
  const modules = path.join(draft, "node_modules");
  fs.mkdirSync(modules, { recursive: true });
  linkPackages(modules, installed);
  fs.cpSync(packed, path.join(modules, "pulumi-perimeter"), { recursive: true });
  for (const name of Object.keys(dependencies)) {
    linkPackage(
      path.join(modules, "pulumi-perimeter/node_modules"),
      name,
      path.join(repositoryRoot, "node_modules", name),
    );
  }
  fs.cpSync(sdk, path.join(modules, "pulumi-perimeter-sdk"), {
    recursive: true,
    filter: (each) => path.relative(sdk, each) !== "node_modules",
  });
  try {
    fs.renameSync(draft, path.join(all, key));
  } catch (error) {
    if (!fs.existsSync(nodeModules)) throw error;
    fs.rmSync(draft, { recursive: true, force: true });
  }
  return nodeModules;
}
