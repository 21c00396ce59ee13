import { readFileSync } from "node:fs";

/** The text of a file that may be there or not; undefined where it cannot be read. */
export function fileText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
