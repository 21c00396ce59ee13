import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { sourceOf, type ResolvedConfiguration } from "../core/config/resolve";
import { CredentialsError, systemCodeOf } from "../core/errors";
import { isRecord } from "../core/unknown";

/** A bearer token as RFC 6750, section 2.1, has it (`b64token`). */
const TOKEN = /^[\w.~+/-]+=*$/;

/**
 * The token of the key `accessToken`: its text, or what the file that it names holds now. Tokens begin with neither a
 * slash nor a dot and a slash, so whatever does is the path of a file.
 *
 * @throws CredentialsError where that is no token. It never quotes the text: what was given by mistake (a key file, any
 *   file of the machine) is most likely secret.
 */
export async function configuredToken(resolved: ResolvedConfiguration): Promise<string> {
  const key = sourceOf("accessToken", resolved);
  const given = resolved.values.accessToken as string;
  if (!isPath(given)) return tokenIn(given, key, "be");
  return tokenIn(await readNamedFile(given, key), `the file that ${key} names`, "hold");
}

function tokenIn(text: string, where: string, verb: "be" | "hold"): string {
  const token = text.trim();
  const wrong = mistakeIn(token, verb);
  if (wrong === undefined) return token;
  throw new CredentialsError(`No usable access token: ${where} ${wrong}`);
}

/** What keeps a text from being a token, to be read on from where the text is from. */
function mistakeIn(token: string, verb: "be" | "hold"): string | undefined {
  if (token === "") return `is empty; it must ${verb} one token`;
  if (token.startsWith("{")) return "holds JSON: give credentials as perimeter:credentials, not as an access token";
  if (/[\r\n]/.test(token)) return `has several lines; it must ${verb} one token`;
  if (/\s/.test(token)) return `must ${verb} a token alone, without spaces and without the word Bearer`;
  if (!TOKEN.test(token)) {
    return "has characters that no token has: it must consist of letters, digits and - . _ ~ + /, with = at its end only";
  }
  return undefined;
}

/** Credentials in the form of a JSON file: the text itself, or the path of the file. */
export async function configuredCredentials(resolved: ResolvedConfiguration): Promise<Record<string, unknown>> {
  const key = sourceOf("credentials", resolved);
  const given = resolved.values.credentials as string;
  const text = given.trimStart().startsWith("{") ? given : await readNamedFile(given, key);
  try {
    const parsed: unknown = JSON.parse(text);
    if (isRecord(parsed)) return parsed;
  } catch {
    // Whatever the parser would quote may be key material.
  }
  throw new CredentialsError(`${key} must be the JSON of a credentials file, or the path of one`);
}

function isPath(text: string): boolean {
  return /^(~?\/|\.{1,2}\/|[A-Za-z]:[\\/])/.test(text);
}

async function readNamedFile(path: string, key: string): Promise<string> {
  try {
    return await readFile(path.startsWith("~/") ? join(homedir(), path.slice(2)) : path, "utf8");
  } catch (error) {
    throw new CredentialsError(`Cannot read the file that ${key} names: ${systemCodeOf(error)}`);
  }
}
