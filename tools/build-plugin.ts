import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { engines, name, peerDependencies, repository, version } from "../package.json";
import schema from "../sdk/schema.json";
import { launcher } from "./build-plugin-launcher";
import {
  checkExecutable,
  executableName,
  hostPlatform,
  PLATFORMS,
  PLUGIN,
  type Platform,
} from "./build-plugin-platforms";
import { ROOT, run, runTool } from "./run";

/**
 * Builds the plugin, `pulumi-resource-perimeter`. Its executables are also the command `perimeter`:
 *
 *   build-plugin.ts                  bin/: a script for the Node on the user's machine
 *   build-plugin.ts --executable     and bin/{platform}/: an executable that needs no Node, for this platform
 *   build-plugin.ts --all            and for all platforms (bun downloads what it needs for the others from the npm registry)
 *   build-plugin.ts --out FOLDER     not to bin/
 */

/**
 * Code that neither a call of the plugin nor the command reaches, a fifth of the plugin's bundle: zod's translated messages
 * and JSON schemas; streams for Nodes that have none; `fetch`, mocks, caches, cookies and web sockets of undici; and of the
 * gRPC library the reading of .proto files, and the making of client classes, which would load its client at the start.
 * Tests of the built plugin and of the executable fail if they need this code.
 */
const UNREACHED = [
  "zod/v4/locales/index",
  "zod/v4/core/json-schema-processors",
  "web-streams-polyfill/dist/[^/]+",
  "undici/lib/(mock|cache|interceptor|web/(cookies|eventsource|websocket))/.+",
  "undici/lib/web/fetch/index",
  "@grpc/proto-loader/build/src/index",
  "@grpc/grpc-js/build/src/make-client",
];
const unreached = new RegExp(`/node_modules/(${UNREACHED.join("|")})\\.js$`.replaceAll("/", "[\\\\/]"));

const withoutUnreached: Plugin = {
  name: "without-unreached",
  setup: ({ onLoad }) => onLoad({ filter: unreached }, () => ({ contents: "" })),
};

/**
 * Pulumi's service declarations also create client classes. The plugin is a server, so it needs only the declarations.
 */
const withoutClientClasses: Plugin = {
  name: "without-client-classes",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^@grpc\/grpc-js$/ }, ({ importer }) =>
      /_grpc_pb\.js$/.test(importer) ? { path: "no-client-classes", namespace: "perimeter" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "perimeter" }, () => ({
      contents: "exports.makeGenericClientConstructor = () => {};",
    }));
  },
};

/** The modules in an executable: the first is the entry. */
const [PLUGIN_MODULE, COMMAND_MODULE] = ["plugin.js", "command.js"];

/** The plugin's module loads the command's module when a command is given, so that the plugin starts without that code. */
const commandApart: Plugin = {
  name: "command-apart",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/cli\/main$/ }, () => ({ path: `./${COMMAND_MODULE}`, external: true })),
};

/** A program with all its dependencies, as one ASCII text, and its source files: paths from the root of the repository. */
export interface Bundle {
  text: string;
  sources: string[];
}

/** Which programs are bundled: the plugin, and the command for the plugin's executables. */
export interface Bundles {
  plugin: Bundle;
  command: Bundle;
}

export async function bundles(): Promise<Bundles> {
  // Packed, because only `pulumi package get-schema` and the YAML host read it.
  const packedSchema = JSON.stringify(gzipSync(JSON.stringify(schema)).toString("base64"));
  const [plugin, command] = await Promise.all([
    bundled("tools/build-plugin-entry.ts", { BUNDLED_SCHEMA: packedSchema }, [commandApart]),
    bundled("cli/main.ts", {}, []),
  ]);
  return { plugin, command };
}

async function bundled(entry: string, define: Record<string, string>, plugins: Plugin[]): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(ROOT, entry)],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    minify: true,
    charset: "ascii",
    legalComments: "none",
    define: {
      BUNDLED_MANIFEST: JSON.stringify(JSON.stringify({ name, version, repository, engines, peerDependencies })),
      ...define,
    },
    plugins: [withoutUnreached, withoutClientClasses, ...plugins],
    logLevel: "error",
  });
  return { text: (outputFiles[0] as { text: string }).text, sources: Object.keys(metafile.inputs).sort() };
}

/** Writes the plugin for the Node on the user's machine to `folder`, and returns the path of the script. */
export function writeScript(text: string, folder: string): string {
  const file = join(folder, PLUGIN);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, launcher(text), { mode: 0o755 });
  return file;
}

/**
 * The engine starts the plugin in the folder of the Pulumi project, which the author of a pull request can change. So the
 * executable must read no file there: Bun would set the variables of `.env*`, run the programs that `bunfig.toml` preloads,
 * and resolve modules by `tsconfig.json` and `package.json`. `checkExecutable` makes sure that Bun knows these options. The
 * last option refuses a bundle that would resolve a module at run time.
 */
const AUTOLOAD = [
  ...["dotenv", "bunfig", "tsconfig", "package-json"].map((file) => `--no-compile-autoload-${file}`),
  "--reject-unresolved",
];

/** Compiles plugin and command to one file in `{bin}/{platform}/`, checks it, and returns its path. */
export function buildExecutable({ plugin, command }: Bundles, bin: string, platform: Platform): string {
  const folder = join(bin, platform);
  const file = join(folder, executableName(platform));
  const modules = { [PLUGIN_MODULE]: plugin.text, [COMMAND_MODULE]: command.text };
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text);
  const bun = join(ROOT, "node_modules", ".bin", "bun");
  const compile = ["build", "--compile", "--bytecode", "--format=cjs", ...AUTOLOAD, `--target=bun-${platform}`];
  // Each module stays a module. Bun applies --external to the paths as the module has them, relative to the current folder.
  const separate = [...Object.keys(modules), "--external", `./${COMMAND_MODULE}`];
  run(bun, [...compile, ...separate, `--outfile=${file}`], { cwd: folder });
  for (const name of Object.keys(modules)) rmSync(join(folder, name));
  checkExecutable(file, platform);
  return file;
}

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { executable: { type: "boolean" }, all: { type: "boolean" }, out: { type: "string", default: "bin" } },
  });
  const bin = resolve(ROOT, values.out);
  const built = await bundles();
  console.log(`plugin: ${writeScript(built.plugin.text, bin)}`);
  const platforms = values.all ? PLATFORMS : values.executable ? [hostPlatform()] : [];
  for (const platform of platforms) console.log(`plugin: ${buildExecutable(built, bin, platform)}`);
}

if (require.main === module) runTool("plugin", main);
