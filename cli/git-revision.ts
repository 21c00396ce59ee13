import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import * as path from "node:path";

/** A revision of a git repository. Nothing of the working tree is used. */
export interface GitRevision {
  /** The real path of the repository's root. */
  root: string;
  /** `origin/main` */
  title: string;
  /** The texts of those of these files that the revision has, in their order. @throws Error for a link */
  textsOf(files: readonly string[]): Map<string, string>;
}

/** Far larger than a file that a person wrote. */
const MOST_BYTES = 16 * 1024 * 1024;
const LINK = "120000";
/** https://git-scm.com/docs/git-config#Documentation/git-config.txt-safedirectory; the second text is that of older versions. */
const OF_ANOTHER_USER = /(?:dubious ownership in repository at|unsafe repository \()\s*'([^']+)'/;

/**
 * Finds a revision in the repository of a folder.
 *
 * @param name as git takes it: `origin/main`
 * @throws Error that says what to do
 */
export function revisionOf(folder: string, name: string): GitRevision {
  const title = name.replace(/^refs\/(?:heads|remotes|tags)\//, "");
  const fail = (reason: string) => new Error(`--policy-from ${title}: ${reason}`);
  const git = (...args: string[]): string | undefined => {
    const { status, stdout, stderr, error } = spawnSync("git", ["-C", folder, ...args], {
      encoding: "utf8",
      maxBuffer: MOST_BYTES,
      // For messages in English.
      env: { ...process.env, LC_ALL: "C" },
    });
    if (error) throw fail(`git cannot be run: ${error.message}`);
    const [, refused] = OF_ANOTHER_USER.exec(stderr) ?? [];
    if (refused !== undefined) {
      throw fail(
        `git refuses ${refused}, because it belongs to another user, as in the container of a job. If you trust it: ` +
          `git config --global --add safe.directory '${refused}'`,
      );
    }
    // With --quiet, git says nothing about a revision that does not exist.
    if (status !== 0 && stderr === "") return undefined;
    if (status !== 0) throw fail(stderr.trim());
    return stdout;
  };
  if (/^-|:/.test(name)) throw fail("it must be the name of a branch, a tag or a commit");
  const root = realpathSync(git("rev-parse", "--show-toplevel")?.replace(/\r?\n$/, "") ?? folder);
  const commit = git("rev-parse", "--verify", "--quiet", `${name}^{commit}`)?.trim();
  if (commit === undefined) throw fail(`this clone does not have it. Fetch it first: git fetch ${fetchOf(title)}`);
  const textOf = (file: string): string | undefined => {
    const name = path.relative(root, file).split(path.sep).join("/");
    const [, mode, object] = /^(\d+) blob (\S+)\t/.exec(git("ls-tree", "--full-tree", "-z", commit, name) ?? "") ?? [];
    if (object === undefined) return undefined;
    if (mode === LINK) throw fail(`${name} is a link there, which is not followed: make it a file`);
    return git("cat-file", "blob", object) ?? "";
  };
  return {
    root,
    title,
    textsOf: (files) =>
      new Map(
        files.flatMap((file): [string, string][] => {
          const text = textOf(file);
          return text === undefined ? [] : [[file, text]];
        }),
      ),
  };
}

/** `origin main` for `origin/main` */
function fetchOf(title: string): string {
  return title.replace("/", " ");
}
