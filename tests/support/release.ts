/** What a release publishes, installed as its users install it. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import type { buildExecutable } from "../../tools/build-plugin";
import { executableName, hostPlatform } from "../../tools/build-plugin-platforms";
import { pluginArchives } from "../../tools/release/plugins";
import { run } from "../../tools/run";
import { repositoryRoot } from "./engine";
import type { GoEnvironment } from "./go";
import { linkPackage } from "./node-modules";
import { builtPlugin, nodeSdk } from "./plugin";
import type { PythonEnvironment } from "./python";
import { ScriptedServer } from "./scripted-server";
import { leftOut } from "./test-all";

/** Set by `make release`: the folder that it wrote, with all platforms. */
const { PERIMETER_RELEASE } = process.env;

/** True where the release was built before the tests: then they also install what needs the network. */
export const whole = PERIMETER_RELEASE !== undefined;

/** The level of gzip with which it only adds its header: to compress the executables takes longer than all tests of them. */
const NOT_COMPRESSED = 0;

/**
 * The release's folder: the one that `make release` wrote, or a new one below `work` with this platform's executable. In
 * `make test` it has only the plugin's archives.
 */
export async function releaseFolder(work: string): Promise<string> {
  if (PERIMETER_RELEASE !== undefined) return path.resolve(repositoryRoot, PERIMETER_RELEASE);
  const out = path.join(work, "release");
  if (leftOut !== undefined) {
    await pluginArchives(
      path.join(out, "plugins"),
      path.join(work, "plugins"),
      [hostPlatform()],
      new Date(),
      NOT_COMPRESSED,
      copyExecutable,
    );
    return out;
  }
  run(process.execPath, ["-r", "./tools/register.cjs", "tools/release/main.ts", "--host", "--out", out]);
  return out;
}

/** Copies the executable of `make executable`, in place of `buildExecutable`, which built it. */
const copyExecutable: typeof buildExecutable = (_bundles, bin, platform) => {
  const file = path.join(bin, platform, executableName(platform));
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.copyFileSync(builtPlugin("the executable"), file);
  return file;
};

/** Adds the SDK for JavaScript to the project in a folder: of the release, or in `make test` as the repository has it. */
export function installSdk(release: string, folder: string): void {
  if (leftOut === undefined) {
    installFromNpm(release, "pulumi-perimeter-sdk", folder);
    return;
  }
  // The engine downloads the plugins of all packages that it finds, so only these are there.
  const nodeModules = path.join(folder, "node_modules");
  linkPackage(nodeModules, "@pulumi/pulumi", path.join(repositoryRoot, "node_modules", "@pulumi", "pulumi"));
  linkPackage(nodeModules, "pulumi-perimeter-sdk", nodeSdk());
}

/** Adds an npm package of the release, with what it needs, to the project in a folder. */
export function installFromNpm(release: string, name: string, folder: string): void {
  const tarball = theFile(path.join(release, "npm"), new RegExp(`^${name}-\\d.*\\.tgz$`));
  if (whole) {
    const options = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
    run("npm", ["install", ...options, tarball], { cwd: folder });
    return;
  }
  // Offline, and in a second: the dependencies that the package declares are in this repository.
  const target = path.join(folder, "node_modules", name);
  unpack(tarball, target);
  const manifest = JSON.parse(fs.readFileSync(path.join(target, "package.json"), "utf8")) as Manifest;
  for (const needed of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    if (fs.existsSync(path.join(folder, "node_modules", needed))) continue;
    linkPackage(path.join(folder, "node_modules"), needed, path.join(repositoryRoot, "node_modules", needed));
  }
}

function unpack(tarball: string, folder: string): void {
  fs.mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
}

/** A folder for PYTHONPATH, into which pip has installed the wheel or the sdist. */
export function installFromPyPi({ python }: PythonEnvironment, file: string, folder: string): string {
  const offline = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet"];
  run(python, ["-m", "pip", "install", ...offline, "--no-compile", "--target", folder, file]);
  return folder;
}

/**
 * The folder of the Go module, fetched from the release as from a module proxy into a cache below `work`: Go's own would
 * keep this build as the version for ever.
 */
export function downloadGoModule(go: GoEnvironment, release: string, work: string, module: string): string {
  const printed = run(path.join(go.bin, "go"), ["mod", "download", "-json", module], {
    cwd: work,
    env: {
      ...go.env,
      GOMODCACHE: path.join(work, "gomodcache"),
      GOPROXY: `file://${path.join(release, "go")}`,
      GOSUMDB: "off",
      // Go's caches are read-only otherwise, and could not be removed.
      GOFLAGS: "-modcacherw",
    },
  });
  return (JSON.parse(printed) as { Dir: string }).Dir;
}

/** The one file of a folder whose name matches. */
export function theFile(folder: string, name: RegExp): string {
  const found = fs.readdirSync(folder).filter((file) => name.test(file));
  if (found.length !== 1) throw new Error(`${folder} has ${found.length} files like ${name}, not one`);
  return path.join(folder, found[0] as string);
}

interface Manifest {
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** Serves the plugin archives of a release under any path, as the downloads of a release on the web. */
export function servePlugins(release: string): Promise<ScriptedServer> {
  return ScriptedServer.start(({ path: asked }) => {
    const file = path.join(release, "plugins", path.basename(asked));
    if (!fs.existsSync(file)) return { status: 404 };
    return { headers: { "content-length": fs.statSync(file).size }, body: fs.readFileSync(file) };
  });
}
