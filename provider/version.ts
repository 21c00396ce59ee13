import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { fileText } from "./core/environment";
import { recordIn } from "./core/json";
import { isRecord, textOf, type Values } from "./core/unknown";

/** Where the provider is bundled into one file, the plugin: the text of package.json, and sdk/schema.json as base64 of its gzip. */
declare const BUNDLED_MANIFEST: string | undefined;
declare const BUNDLED_SCHEMA: string | undefined;

/** The package's folder, above the compiled file; undefined where a program was bundled without it. */
const folder = typeof BUNDLED_MANIFEST === "string" ? undefined : packageFolder(__dirname);

/** Whether the provider is bundled into one file, the plugin. */
export const isBundled = typeof BUNDLED_MANIFEST === "string";

/** The package's package.json; empty where a program was bundled without it. The bundled plugin has the parts that this file reads. */
export const manifest: Values =
  typeof BUNDLED_MANIFEST === "string" ? (recordIn(BUNDLED_MANIFEST) ?? {}) : manifestIn(folder);

export const VERSION: string = typeof manifest.version === "string" ? manifest.version : "0.0.0";

/** Where the source and its releases are: `https://github.com/<owner>/<repository>`. */
export const REPOSITORY: string = webAddress(manifest.repository);

/**
 * Where an engine finds the plugin that an SDK asks for: the release `v{version}` of the repository on GitHub, in Pulumi's
 * own form for it (https://www.pulumi.com/docs/iac/extending-pulumi/publishing-packages/).
 *
 * @throws Error for a repository elsewhere: the engine knows other forms for those.
 */
export function pluginDownloadURL(repository: string): string {
  const [, path] = /^https:\/\/github\.com\/([^/]+\/[^/]+)$/.exec(repository) ?? [];
  if (path === undefined) throw new Error(`no download address of plugins is known for the repository "${repository}"`);
  return `github://api.github.com/${path}`;
}

/**
 * The schema of the package, which `make generate` derives from the definitions.
 *
 * @throws Error where the package has no sdk/schema.json.
 */
export function packageSchemaText(): string {
  if (typeof BUNDLED_SCHEMA === "string") return gunzipSync(Buffer.from(BUNDLED_SCHEMA, "base64")).toString();
  const text = folder === undefined ? undefined : fileText(join(folder, "sdk/schema.json"));
  if (text === undefined) throw new Error("The package pulumi-perimeter has no sdk/schema.json: install it again");
  return text;
}

function packageFolder(below: string): string | undefined {
  if (manifestIn(below).name === "pulumi-perimeter") return below;
  const parent = dirname(below);
  return parent === below ? undefined : packageFolder(parent);
}

function manifestIn(directory: string | undefined): Values {
  return (directory === undefined ? undefined : recordIn(fileText(join(directory, "package.json")))) ?? {};
}

/** npm writes `git+https://host/owner/repository.git`. */
function webAddress(repository: unknown): string {
  const url = isRecord(repository) ? textOf(repository.url) : "";
  return url.replace(/^git\+/, "").replace(/\.git$/, "");
}

/** The first three numbers of a version or a range: `v3.250.0-dev` is [3, 250, 0], `>=22` is [22, 0, 0]. */
function numbersOf(version: string): [number, number, number] {
  const [, major = "0", minor = "0", patch = "0"] = /(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(version) ?? [];
  return [Number(major), Number(minor), Number(patch)];
}

/** The lowest version of a range with one lower bound: `>=20.19.0`, `^3.142.0`. */
export function lowestOf(range: string): string {
  return numbersOf(range).join(".");
}

/** True when a version is equal or newer. */
export function isAtLeast(version: string, lowest: string): boolean {
  const [found, needed] = [numbersOf(version), numbersOf(lowest)];
  const differing = found.findIndex((each, index) => each !== needed[index]);
  return differing === -1 || (found[differing] ?? 0) > (needed[differing] ?? 0);
}
