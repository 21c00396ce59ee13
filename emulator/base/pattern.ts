import type * as re2js from "re2js";

/** A compiled pattern. */
export interface Pattern {
  test(text: string): boolean;
}

const MAX_LENGTH = 1000;
const MAX_REMEMBERED = 1000;
const remembered = new Map<string, Pattern>();

/**
 * Compiles a pattern of a fault plan or switch. A pattern that starts with `^` is a regular expression. Any other pattern is a
 * glob for the whole text: `**` matches any characters, and `*` matches any characters except `/`.
 *
 * RE2 matches both, because its time is linear in the length of the text. With the regular expressions of JavaScript, and glob
 * libraries based on them, a pattern can make the emulator hang. RE2 does not support look-around and back references.
 *
 * @throws Error for an invalid regular expression
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
  // Loaded with the first pattern, because most emulators use no patterns and start faster without RE2.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load it at every start
  const { RE2JS } = require("re2js") as typeof re2js;
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
