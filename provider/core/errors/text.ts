import { isRecord } from "../unknown";

/**
 * Limits the length of errors and messages, and removes credentials from them. APIs and proxies send texts of any length, and
 * gRPC sends the text of an error in HTTP/2 trailers: some senders drop trailers of more than 64 kB, and the engine gets no
 * error.
 */

/** Characters of a message for a person. In trailers, where a character takes up to nine bytes, it still fits. */
export const LONGEST_MESSAGE = 4_000;

/** Characters of an error before secrets are removed. Larger than `LONGEST_MESSAGE`, so that no kept secret is cut before removal. */
export const LONGEST_REDACTED = 4 * LONGEST_MESSAGE;

/** Characters of a log message. It lists who gains and loses access, which must not be cut. */
export const LONGEST_LOG_LINE = 64_000;

/** Entries of a list of problems. */
const MOST_PROBLEMS = 100;

const CUT = "… [cut here: the text is too long for a message] …";

/**
 * Shortens a text for a message. Keeps the beginning and the end, because the end of an API's error has the request and its
 * id. Call it after secrets are removed: a secret that is cut is not recognized.
 *
 * The result is well-formed Unicode, as gRPC requires: an unpaired surrogate would end the call without its error.
 */
export function shortened(text: string, longest = LONGEST_MESSAGE): string {
  const end = Math.floor(longest / 4);
  const short = text.length <= longest ? text : text.slice(0, longest - end) + CUT + text.slice(-end);
  return short.toWellFormed();
}

/** The first problems of a list, and a last entry with the number of omitted problems. */
export function firstProblems<T>(problems: readonly T[], more: (text: string) => T): T[] {
  if (problems.length <= MOST_PROBLEMS) return [...problems];
  return [...problems.slice(0, MOST_PROBLEMS), more(`… and ${problems.length - MOST_PROBLEMS} more problems`)];
}

/** Patterns of credentials with their replacements: bearer tokens, Google's OAuth tokens, JWTs, keys, URLs. */
const SECRETS: readonly [RegExp, string | ((found: string) => string)][] = [
  [/\b((?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:(?:Bearer|Basic)\s+)?)[^\s"',;)]+/gi, "$1[redacted]"],
  // After the scheme without a header name, matches only text that is not a plain word: "Basic roles (roles/owner)" has no
  // credential.
  [
    /\b(BEARER|[Bb]earer|BASIC|[Bb]asic)[ \t]+(?!roles\/)(?=[\w.~+/-]*(?:[\d~+]|[a-z][A-Z]|=(?!\w))|[\w.~+-]{24})[\w.~+/=-]{4,}/g,
    "$1 [redacted]",
  ],
  [/\bya29\.[\w.-]+/g, "[redacted]"],
  [/(?<![\w-])[\w-]+(?:\.[\w-]*){2,}/g, withoutJwt],
  [/\b1\/\/[\w-]{20,}/g, "[redacted]"],
  [/\bGOCSPX-[\w-]+/g, "[redacted]"],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, "[redacted]"],
  [/\b(https?:\/\/)[^\s/?#"'@]+@/gi, "$1[redacted]@"],
  [/([?&](?:access_token|oauth_token|key|token|assertion|refresh_token)=)[^&\s"']+/gi, "$1[redacted]"],
  [
    /("(?:access_?token|accessToken|private_key|privateKey|refresh_token|client_secret|id_token|assertion)"\s*:\s*")(?:[^"\\]|\\.)*/gi,
    "$1[redacted]",
  ],
];

/** Replaces everything that looks like a credential by `[redacted]`. Every error's constructor calls it. */
export function redact(text: string): string {
  return SECRETS.reduce(
    (result, [pattern, replacement]) =>
      typeof replacement === "string" ? result.replace(pattern, replacement) : result.replace(pattern, replacement),
    text,
  );
}

/** Removes a JWT from words that are joined by dots. A single pattern would be slow for long words. */
function withoutJwt(words: string): string {
  const at = words.search(/\beyJ/);
  return at >= 0 && words.slice(at).split(".").length > 2 ? `${words.slice(0, at)}[redacted]` : words;
}

// Both check properties instead of `instanceof`: jest runs tests with another class `Error` than Node's.

/** The message of any thrown value: JavaScript code can throw values that are not errors. */
export function messageOf(error: unknown): string {
  return isRecord(error) && typeof error.message === "string" ? error.message : String(error);
}

/** The code of an error of the operating system or of Node, such as `ENOENT`; undefined for any other. */
export function systemCodeOf(error: unknown): string | undefined {
  return isRecord(error) && typeof error.code === "string" ? error.code : undefined;
}

/** More than HTTP clients nest; also ends circular causes. */
const MOST_CAUSES = 6;

/** The thrown value and its causes, outermost first. */
export function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let at = error; at !== undefined && causes.length < MOST_CAUSES; at = isRecord(at) ? at.cause : undefined) {
    causes.push(at);
  }
  return causes;
}

/** Whether the other side refused the connection, so that nothing was sent. */
export function isConnectionRefused(error: unknown): boolean {
  return causesOf(error).some((each) => systemCodeOf(each) === "ECONNREFUSED");
}
