import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { CredentialsError, systemCodeOf } from "../core/errors";

/** Whether a configured text is the path of a file: it begins like one. `~/` is the home folder. */
export function isPath(text: string): boolean {
  return /^(~?\/|\.{1,2}\/|[A-Za-z]:[\\/])/.test(text);
}

/** A configured path as Node.js takes it, which does not know `~/`. */
export function expanded(path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}

/**
 * The text of a file that the configuration names.
 *
 * @param key the setting that names it, for the message: a path given by mistake may be a secret.
 * @throws CredentialsError where it cannot be read.
 */
export async function readNamedFile(path: string, key: string): Promise<string> {
  try {
    return await readFile(expanded(path), "utf8");
  } catch (error) {
    throw new CredentialsError(`Cannot read the file that ${key} names: ${systemCodeOf(error) ?? "it is no file"}`);
  }
}
