import { existsSync } from "node:fs";
import * as path from "node:path";
import { fileText } from "../core/environment";
import { isRecord, listOf, textOf } from "../core/unknown";

/** A Pulumi project and the content of its file. If the file is invalid, only the folder is known, and the name where it can be seen. */
export interface PulumiProject {
  /** The folder with the project's file. */
  folder: string;
  name?: string;
  /** The runtime of its programs: `nodejs`, `yaml`. */
  runtime?: string;
  /** The folder or the file of its program, relative to the project's folder, if the project sets it. */
  main?: string;
  /** The backend of the state, if the project sets it: `file://~`. */
  backendUrl?: string;
  /** The folders from which the project takes plugins (`plugins.providers`), relative to the project's folder. */
  plugins?: { name: string; path: string; version?: string }[];
}

/** In Pulumi's search order in a folder (`Exts` of its package sdk/go/common/encoding). */
export const PROJECT_FILES = ["Pulumi.json", "Pulumi.yaml", "Pulumi.yml"];

/** The Pulumi project of a folder: Pulumi searches the folder and then its parent folders. */
export async function projectAbove(folder: string): Promise<PulumiProject | undefined> {
  for (const each of foldersUpFrom(folder)) {
    for (const name of PROJECT_FILES) {
      const text = fileText(path.join(each, name));
      if (text !== undefined) return { folder: each, ...(await contentOf(text)) };
    }
  }
  return undefined;
}

/** The nearest folder with a `.git`, which is a file in worktrees and submodules. */
export function repositoryAbove(folder: string): string | undefined {
  return foldersUpFrom(folder).find((each) => existsSync(path.join(each, ".git")));
}

/** A folder and those above it, the nearest first. */
export function foldersUpFrom(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersUpFrom(parent)];
}

async function contentOf(text: string): Promise<Omit<PulumiProject, "folder">> {
  // Loaded at first use: the plugin rarely needs it.
  const { parse } = await import("yaml");
  try {
    // JSON is valid YAML.
    const project: unknown = parse(text);
    if (!isRecord(project)) return nameSeenIn(text);
    const { name, runtime, main, backend, plugins } = project;
    return {
      name: textOf(name) || undefined,
      // A runtime with options is an object with a name.
      runtime: textOf(isRecord(runtime) ? runtime.name : runtime) || undefined,
      main: textOf(main) || undefined,
      backendUrl: isRecord(backend) ? textOf(backend.url) || undefined : undefined,
      plugins: listOf(isRecord(plugins) ? plugins.providers : undefined)
        .filter(isRecord)
        .map((each) => ({
          name: textOf(each.name),
          path: textOf(each.path),
          version: textOf(each.version) || undefined,
        })),
    };
  } catch {
    return nameSeenIn(text);
  }
}

/** The project's name in a text that is not valid YAML, such as a file with a merge conflict, so that a comment about it names the project. */
function nameSeenIn(text: string): Pick<PulumiProject, "name"> {
  const [, name] = /^(?:name|'name'|"name")\s*:\s*["']?([\w.-]+)["']?\s*(?:#.*)?$/m.exec(text) ?? [];
  return name === undefined ? {} : { name };
}
