/** Patterns of credentials, each with what takes its place: bearer tokens, Google's OAuth tokens, JWTs, keys, URLs. */
const SECRETS: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, "$1 [redacted]"],
  [/\bya29\.[\w.-]+/g, "[redacted]"],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, "[redacted]"],
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

/** The text with `[redacted]` for everything that looks like a credential. Every error's constructor calls it. */
export function redact(text: string): string {
  return SECRETS.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}
