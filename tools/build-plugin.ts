import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { name, repository, version } from "../package.json";
import schema from "../schema.json";
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
 * Builds the plugin, `pulumi-resource-perimeter`:
 *
 *   build-plugin.ts                  bin/: a script for the Node on the user's machine
 *   build-plugin.ts --executable     and bin/{platform}/: an executable that needs no Node, for this platform
 *   build-plugin.ts --all            and for all platforms (bun downloads what it needs for the others from the npm registry)
 *   build-plugin.ts --out FOLDER     not to bin/
 */

/**
 * Code that no call of the plugin reaches, a fifth of the bundle: zod's translated messages and JSON schemas; streams for
 * Nodes that have none; `fetch`, mocks, caches, cookies and web sockets of undici; and of the gRPC library the reading of
 * .proto files, and the making of client classes, which would load its client at the start. Tests of the built plugin fail
 * if it needs this code.
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

/** The source of the plugin with all its dependencies, as one ASCII text. */
export async function bundle(): Promise<string> {
  return (await bundleWithSources()).text;
}

/** The same, with its source files: paths from the root of the repository. */
export async function bundleWithSources(): Promise<{ text: string; sources: string[] }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(ROOT, "provider/plugin/main.ts")],
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
      BUNDLED_MANIFEST: JSON.stringify(JSON.stringify({ name, version, repository })),
      // Packed, because only `pulumi package get-schema` and the YAML host read it.
      BUNDLED_SCHEMA: JSON.stringify(gzipSync(JSON.stringify(schema)).toString("base64")),
    },
    plugins: [withoutUnreached, withoutClientClasses],
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

/** Compiles the plugin to `{bin}/{platform}/`, checks it, and returns the executable's path. */
export function buildExecutable(text: string, bin: string, platform: Platform): string {
  const folder = join(bin, platform);
  const entry = join(folder, "plugin.js");
  const file = join(folder, executableName(platform));
  mkdirSync(folder, { recursive: true });
  writeFileSync(entry, text);
  const bun = join(ROOT, "node_modules", ".bin", "bun");
  const target = `--target=bun-${platform}`;
  run(bun, ["build", "--compile", "--bytecode", "--format=cjs", ...AUTOLOAD, target, entry, `--outfile=${file}`]);
  rmSync(entry);
  checkExecutable(file, platform);
  return file;
}

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { executable: { type: "boolean" }, all: { type: "boolean" }, out: { type: "string", default: "bin" } },
  });
  const bin = resolve(ROOT, values.out);
  const text = await bundle();
  console.log(`plugin: ${writeScript(text, bin)}`);
  const platforms = values.all ? PLATFORMS : values.executable ? [hostPlatform()] : [];
  for (const platform of platforms) console.log(`plugin: ${buildExecutable(text, bin, platform)}`);
}

if (require.main === module) runTool("plugin", main);
