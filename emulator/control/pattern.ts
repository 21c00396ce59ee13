/**
 * The regular expression of a pattern, as fault plans and switches have them. A pattern that starts with `^` is one
 * itself. Any other is a glob for the whole text: `**` matches any characters, `*` any but `/`.
 *
 * @throws SyntaxError for a broken regular expression
 */
export function compilePattern(source: string): RegExp {
  if (source.startsWith("^")) {
    return new RegExp(source);
  }
  const body = source
    .split(/(\*+)/)
    .map((part) =>
      part.startsWith("**") ? ".*" : part === "*" ? "[^/]*" : part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"),
    )
    .join("");
  return new RegExp(`^${body}$`, "s");
}
