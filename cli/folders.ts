import { lstatSync } from "node:fs";
import * as path from "node:path";
import { foldersUpFrom, PROJECT_FILES, repositoryAbove } from "../provider/runtime/pulumi-project";

/** The folders of a program, up to the root of its repository. */

/** The names of the policy files: each folder may have one of them. */
export const POLICY_FILES = [".perimeter-review.yaml", ".perimeter-review.yml", ".perimeter-review.json"];

/**
 * The file of the Pulumi project that a program is in, relative to the root, with forward slashes. Without a project, it is the
 * file that a project in this folder would have.
 *
 * @param program the folder of the program, relative to `folder`
 */
export function projectFile(program = ".", folder = process.cwd()): string {
  const here = path.resolve(folder, program);
  const root = rootAbove(here);
  const files = foldersFrom(root, here)
    .toReversed()
    .flatMap((each) => namesIn(each, PROJECT_FILES).map(inFolder(each)));
  const [nearest = path.join(here, "Pulumi.yaml")] = files;
  return path.relative(root, nearest).split(path.sep).join("/");
}

/**
 * Reads a value of `--stack`. If the text before the last slash is the folder of a project, the stack is one of that project:
 * `infra/network/prod`. Otherwise the whole text is the name of a stack, such as `organization/project/prod`.
 */
export function stackNamed(text: string, folder = process.cwd()): { stack: string; cwd?: string } {
  const [, project, stack] = /^(.+)\/([^/]+)$/.exec(text) ?? [];
  if (project === undefined || stack === undefined) return { stack: text };
  const cwd = path.resolve(folder, project);
  return namesIn(cwd, PROJECT_FILES).length > 0 ? { stack, cwd } : { stack: text };
}

/** The root of the repository or, without a repository, of the Pulumi project; otherwise the folder itself. */
export function rootAbove(program: string): string {
  const hasProject = (folder: string) => namesIn(folder, PROJECT_FILES).length > 0;
  return repositoryAbove(program) ?? foldersUpFrom(program).find(hasProject) ?? program;
}

/** The root, and the folders from there down to this one. */
export function foldersFrom(root: string, folder: string): string[] {
  return foldersUpFrom(folder)
    .filter((each) => !isOutside(root, each))
    .toReversed();
}

export function isOutside(root: string, file: string): boolean {
  const relative = path.relative(root, file);
  return relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
}

export function inFolder(folder: string) {
  return (name: string): string => path.join(folder, name);
}

/** The names that exist in the folder. */
export function namesIn(folder: string, names: readonly string[]): string[] {
  return names.filter((name) => exists(path.join(folder, name)));
}

/** Whether a file exists, also as a broken link: reading it fails, so that no rules are silently skipped. */
export function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}
