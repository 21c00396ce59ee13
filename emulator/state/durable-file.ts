import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Replaces a file as a whole: a crash or a full disk at any moment leaves the old content or the new one.
 *
 * Not by a library: `write-file-atomic` (8.0) and `atomically` (2.1) take a short write of a full disk for a whole one in
 * their synchronous form, follow a symbolic link in the place of their temporary file, and do not sync the folder.
 */
export function replaceFile(path: string, content: string): void {
  const next = `${path}.tmp`;
  // Removes the leftover of a crash, or a link that somebody planted; "wx" follows no link and opens nothing that exists.
  rmSync(next, { force: true });
  try {
    writeFileSync(next, content, { flag: "wx", mode: 0o600, flush: true });
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Makes new and renamed files of a folder last. */
export function syncFolder(folder: string): void {
  // Windows cannot open a folder, and needs no such call.
  if (process.platform === "win32") {
    return;
  }
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
