import { createRequire } from "node:module";
import type * as re2js from "re2js";

/** A compiled pattern. */
export interface Pattern {
  test(text: string): boolean;
}

const MAX_LENGTH = 1000;
const MAX_REMEMBERED = 1000;
const remembered = new Map<string, Pattern>();

/**
 * The regular expression of a pattern, as fault plans and switches have them. A pattern that starts with `^` is one
 * itself. Any other is a glob for the whole text: `**` matches any characters, `*` any but `/`.
 *
 * Both are matched by RE2, whose time grows with the text only: no pattern makes the emulator hang, as JavaScript's own
 * expressions and the glob libraries built on them can. RE2 knows no look-around and no back references.
 *
 * @throws Error for a broken regular expression
 */
export function compilePattern(source: string): Pattern {
  const known = remembered.get(source);
  if (known !== undefined) {
    return known;
  }
  if (source.length > MAX_LENGTH) {
    throw new Error(`a pattern has at most ${MAX_LENGTH} characters`);
  }
  const compiled = compile(source);
  if (remembered.size >= MAX_REMEMBERED) {
    remembered.clear();
  }
  remembered.set(source, compiled);
  return compiled;
}

function compile(source: string): Pattern {
  // Loaded with the first pattern: most emulators need none and start faster without.
  const { RE2JS } = createRequire(__filename)("re2js") as typeof re2js;
  return source.startsWith("^") ? RE2JS.compile(source) : RE2JS.compile(globExpression(source), RE2JS.DOTALL);
}

function globExpression(source: string): string {
  const body = source
    .split(/(\*+)/)
    .map((part) =>
      part.startsWith("**") ? ".*" : part === "*" ? "[^/]*" : part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"),
    )
    .join("");
  return `^${body}$`;
}
