import { dirname, join } from "node:path";
import { fileText } from "./core/file-text";
import { recordIn } from "./core/json";
import { isRecord, textOf, type Values } from "./core/unknown";

/** Set where the provider is bundled into one file, which has no package.json beside it: the text of that file. */
declare const BUNDLED_MANIFEST: string | undefined;

/**
 * The package's own package.json, wherever the compiled file lies below it; empty where a program was bundled without it. In
 * the bundled plugin it has no more than this file reads of it.
 */
export const manifest = typeof BUNDLED_MANIFEST === "string" ? (recordIn(BUNDLED_MANIFEST) ?? {}) : find(__dirname);

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

function find(directory: string): Values {
  const found = recordIn(fileText(join(directory, "package.json")));
  if (found?.name === "pulumi-perimeter") return found;
  const parent = dirname(directory);
  if (parent === directory) return {};
  return find(parent);
}

/** npm writes `git+https://host/owner/repository.git`. */
function webAddress(repository: unknown): string {
  const url = isRecord(repository) ? textOf(repository.url) : "";
  return url.replace(/^git\+/, "").replace(/\.git$/, "");
}
