import { randomUUID } from "node:crypto";
import {
  accessSync,
  constants,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { dirname } from "node:path";
import { isNativeError } from "node:util/types";
import { gunzipSync } from "node:zlib";

/**
 * The text of a file: in UTF-8, in UTF-16 if it begins with its mark, as PowerShell writes it, or compressed by gzip.
 *
 * @throws Error that names the file
 */
export function readText(path: string): string {
  try {
    return textIn(readFileSync(path));
  } catch (error) {
    throw unusable(path, "read", error);
  }
}

/** The text in these bytes, in the forms of `readText`, without a mark at its beginning. @throws Error for other forms */
export function textIn(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0x1f && second === 0x8b) return textIn(gunzipSync(bytes));
  if (first === 0x50 && second === 0x4b) throw new Error("it is a zip archive; unpack it");
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder().decode(bytes);
}

/** An error that names the file, and says why it cannot be used. */
export function unusable(path: string, verb: "read" | "written", cause: unknown): Error {
  return new Error(`${path} cannot be ${verb}: ${isNativeError(cause) ? cause.message : String(cause)}`, { cause });
}

/**
 * Checks before the work that a file can be written: a failure at the end would lose what the work found.
 *
 * @throws Error that names the file
 */
export function checkWritable(path: string): void {
  checkFile(path, (found) => accessSync(found ? path : folderOf(path), constants.W_OK));
}

/**
 * Checks before the work that `writeAtomically` can make or replace a file.
 *
 * @throws Error that names the file
 */
export function checkReplaceable(path: string): void {
  checkFile(path, (found) => {
    if (found && !found.isFile()) throw new Error("it is a device or a pipe; name a file");
    accessSync(folderOf(path), constants.W_OK);
  });
}

function checkFile(path: string, check: (found: Stats | undefined) => void): void {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw new Error("it is a folder; name a file in it");
    check(found);
  } catch (error) {
    throw unusable(path, "written", error);
  }
}

/**
 * Removes a file, or a link to one: the link, and what it leads to stays. A folder, a device and a pipe stay, too.
 *
 * @throws Error that names the file
 */
export function removeFile(path: string): void {
  checkFile(path, (found) => {
    if (found?.isFile() ?? lstatSync(path, { throwIfNoEntry: false })) rmSync(path);
  });
}

/** The slash makes the system refuse a file in place of the folder. */
function folderOf(path: string): string {
  return `${dirname(path)}/`;
}

/** A text for a file. */
export interface FileText {
  path: string;
  text: string;
}

/**
 * Writes to other names first, so that a reader of a file finds the old or the new text, never a part, and so that no file is
 * replaced if one of the texts cannot be written.
 *
 * @throws Error that names the file
 */
export function writeAtomically(files: readonly FileText[], mode = 0o666): void {
  const parts = files.map((file) => ({ ...file, part: `${file.path}.${randomUUID()}.part` }));
  const each = (write: (file: FileText & { part: string }) => void): void => {
    for (const file of parts) {
      try {
        write(file);
      } catch (error) {
        for (const { part } of parts) rmSync(part, { force: true });
        throw unusable(file.path, "written", error);
      }
    }
  };
  each(({ part, text }) => writeFileSync(part, text, { mode }));
  each(({ part, path }) => renameSync(part, path));
}
