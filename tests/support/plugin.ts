/** The plugin as `make build` leaves it, and the SDKs that programs reach it with, each installed outside of the repository. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { committedSdk, SDK_FOLDERS, type SdkLanguage } from "../../tools/generate/sdk";
import { cacheFolder, removeOld } from "./cache";
import { repositoryRoot } from "./engine";
import type { PythonEnvironment } from "./python";

const OTHER_FRONT = /[\\/]provider[\\/](dynamic|testing)[\\/]/;

/**
 * The folder with the plugin, to go on a program's PATH: the engine takes plugins from there.
 *
 * @throws Error when it is missing or older than its sources: a test must not pass or fail for what was built earlier
 */
export function pluginFolder(): string {
  const plugin = path.join(repositoryRoot, "bin", "pulumi-resource-perimeter");
  const built = fs.existsSync(plugin) ? fs.statSync(plugin).mtimeMs : 0;
  const newer = fs
    .readdirSync(path.join(repositoryRoot, "provider"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !OTHER_FRONT.test(file))
    .find((file) => fs.statSync(file).mtimeMs > built);
  if (newer !== undefined) {
    throw new Error(`bin/ is missing or older than ${newer}: run \`make build\` (\`make test\` does) and try again`);
  }
  return path.dirname(plugin);
}

/** The npm package of the SDK, compiled. */
export function nodeSdk(): string {
  return prepared("nodejs", (source, out) => {
    fs.symlinkSync(path.join(repositoryRoot, "node_modules"), path.join(source, "node_modules"), "junction");
    execFileSync(path.join(repositoryRoot, "node_modules/.bin/tsc"), ["-p", source, "--outDir", out], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    fs.copyFileSync(path.join(source, "package.json"), path.join(out, "package.json"));
    // As in the package, whose package.json names a file in bin/.
    fs.renameSync(out, path.join(source, "bin"));
    fs.renameSync(source, out);
  });
}

/** A folder for PYTHONPATH, into which pip has installed the SDK. */
export function pythonSdk({ python }: PythonEnvironment): string {
  return prepared("python", (source, out) => {
    const offline = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet"];
    execFileSync(python, ["-m", "pip", "install", ...offline, "--target", out, source], {
      stdio: ["ignore", "inherit", "inherit"],
    });
  });
}

/** Kept between runs by the content of the SDK; several test files may do this at once, and the first to finish wins. */
function prepared(language: SdkLanguage, prepare: (source: string, out: string) => void): string {
  const files = committedSdk(language);
  const digest = createHash("sha256")
    .update(JSON.stringify([repositoryRoot, ...files]))
    .digest("hex")
    .slice(0, 16);
  const root = cacheFolder("sdk");
  const done = path.join(root, `${language}-${digest}`);
  if (fs.existsSync(done)) return done;
  removeOld(root);
  const work = fs.mkdtempSync(path.join(root, "draft-"));
  const [source, out] = [path.join(work, "source"), path.join(work, "out")];
  fs.cpSync(path.join(repositoryRoot, SDK_FOLDERS[language]), source, {
    recursive: true,
    filter: (each) => !/[\\/](node_modules|bin|build|dist|[^\\/]*\.egg-info)$/.test(each),
  });
  try {
    prepare(source, out);
    fs.renameSync(out, done);
  } catch (error) {
    if (!fs.existsSync(done)) throw error;
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
  return done;
}
