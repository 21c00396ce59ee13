/** The plugin as `make build` leaves it, and the SDKs that programs reach it with, each installed outside of the repository. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { executableName, hostPlatform, PLUGIN } from "../../tools/build-plugin-platforms";
import { committedSdk, SDK_FOLDERS, type SdkLanguage } from "../../tools/generate/sdk";
import { cacheFolder, removeOld } from "./cache";
import { repositoryRoot } from "./engine";
import { linkPackage, PROGRAM_PACKAGES } from "./node-modules";
import type { PythonEnvironment } from "./python";

/** The sources of the plugin, and of the command, which is in the executable. */
const SOURCES = ["access", "cli", "emulator", "picture", "provider"];
const NOT_BUNDLED = /[\\/](provider[\\/]dynamic|testing|emulator[\\/]console[\\/]page)[\\/]/;

/**
 * The forms in which a release publishes the plugin: engines download the executable, which runs on Bun. Names of tests and
 * suites that run on each form have these words in them.
 */
export const PLUGIN_FORMS = ["the script for Node.js", "the executable"] as const;
export type PluginForm = (typeof PLUGIN_FORMS)[number];

/**
 * The folder with the plugin in this form, to go on a program's PATH: the engine takes plugins from there. The default is the
 * form that engines download; it also takes less processor time.
 *
 * @throws Error when it is missing or older than its sources: a test must not pass or fail for what was built earlier
 */
export function pluginFolder(form: PluginForm = "the executable"): string {
  return path.dirname(builtPlugin(form));
}

/** The plugin's file in this form. Throws as `pluginFolder` does. */
export function builtPlugin(form: PluginForm): string {
  const platform = form === "the executable" ? hostPlatform() : undefined;
  const name = platform === undefined ? PLUGIN : path.join(platform, executableName(platform));
  const plugin = path.join(repositoryRoot, "bin", name);
  const built = fs.existsSync(plugin) ? fs.statSync(plugin).mtimeMs : 0;
  newest ??= newestSource();
  if (newest.changed > built) {
    throw new Error(
      `${plugin} is missing or older than ${newest.file}: run \`make build executable\` (\`make test\` does) and try again`,
    );
  }
  return plugin;
}

let newest: { file: string; changed: number } | undefined;

function newestSource(): { file: string; changed: number } {
  const sources = SOURCES.flatMap((folder) =>
    fs.readdirSync(path.join(repositoryRoot, folder), { recursive: true, withFileTypes: true }),
  )
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !NOT_BUNDLED.test(file))
    .map((file) => ({ file, changed: fs.statSync(file).mtimeMs }));
  return sources.reduce((latest, each) => (each.changed > latest.changed ? each : latest));
}

/** The npm package of the SDK, compiled by its own script. */
export function nodeSdk(): string {
  return prepared("nodejs", (source, out) => {
    // The engine looks for the plugins of all packages that it finds from here.
    for (const name of PROGRAM_PACKAGES) {
      linkPackage(path.join(source, "node_modules"), name, path.join(repositoryRoot, "node_modules", name));
    }
    const bin = path.join(repositoryRoot, "node_modules/.bin");
    execFileSync("npm", ["run", "build"], {
      cwd: source,
      env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH ?? ""}` },
      stdio: ["ignore", "ignore", "inherit"],
    });
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
    .update(JSON.stringify([repositoryRoot, PROGRAM_PACKAGES, ...files]))
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
