/**
 * A pattern as used in fault plans and switches: a text that starts with `^` is a regular expression, anything
 * else is a glob for the whole text, where `**` stands for any run of characters and `*` for a run without `/`.
 *
 * @throws SyntaxError for a broken regular expression
 */
export function pattern(source: string): RegExp {
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
