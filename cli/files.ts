import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isNativeError } from "node:util/types";

/** @throws Error that names the file */
export function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw unusable(path, "read", error);
  }
}

/** An error that names the file, and says why it cannot be used. */
export function unusable(path: string, verb: "read" | "written", cause: unknown): Error {
  return new Error(`${path} cannot be ${verb}: ${isNativeError(cause) ? cause.message : String(cause)}`, { cause });
}

/** Writes to another name first, so that a reader of the file finds the old or the new result, never a part. */
export function writeAtomically(path: string, text: string, mode = 0o666): void {
  const part = `${path}.${randomUUID()}.part`;
  try {
    writeFileSync(part, text, { mode });
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw unusable(path, "written", error);
  }
}
