/**
 * Keeps what tests prepare once and use again in the cache folder of tools/engine (lib.sh). Not in the temporary folder:
 * tests run what they find, and there, another user may have put files under a name that can be guessed.
 */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

const A_DAY_MS = 24 * 60 * 60_000;
const WRITABLE_BY_OTHERS = 0o022;

/**
 * A folder of the cache, made where it is missing: `engine`, `pack`.
 *
 * @throws Error when the folder, or the cache, is one that another user can change.
 */
export function cacheFolder(name: string): string {
  const cache = cacheRoot(process.env);
  for (const folder of [cache, path.join(cache, name)]) {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    requirePrivate(folder);
  }
  return path.join(cache, name);
}

function cacheRoot({ PERIMETER_CACHE, XDG_CACHE_HOME }: NodeJS.ProcessEnv): string {
  return path.resolve(
    PERIMETER_CACHE || path.join(XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), "pulumi-perimeter"),
  );
}

/**
 * Refuses a folder whose content somebody else may have written. It must be a real directory, belong to this user (or to
 * root, who could change anything anyway), and be closed to writes of the group and of others.
 *
 * @throws Error that says what is wrong and what to do.
 */
export function requirePrivate(folder: string): void {
  const found = fs.lstatSync(folder);
  const reason = found.isDirectory() ? sharedWith(found) : "is not a directory";
  if (reason === undefined) return;
  throw new Error(
    `the cache folder ${folder} ${reason}, so what is in it may be another user's: remove it, or set PERIMETER_CACHE ` +
      "to a folder that only you can write to",
  );
}

function sharedWith({ uid, mode }: fs.Stats): string | undefined {
  // Windows has neither owners nor modes, and gives each user a temporary folder.
  if (process.getuid === undefined) return undefined;
  if (uid !== process.getuid() && uid !== 0) return `belongs to another user (${uid})`;
  return (mode & WRITABLE_BY_OTHERS) === 0 ? undefined : "can be written to by others";
}

/** Removes the entries of a folder of the cache that are older than a day: they belong to earlier builds. */
export function removeOld(folder: string): void {
  for (const entry of fs.readdirSync(folder)) {
    const place = path.join(folder, entry);
    const made = fs.statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - made > A_DAY_MS) fs.rmSync(place, { recursive: true, force: true });
  }
}
