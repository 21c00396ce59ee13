import { readFileSync } from "node:fs";
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
