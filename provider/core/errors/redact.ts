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
