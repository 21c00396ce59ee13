import type * as re2js from "re2js";

/** A compiled pattern. */
export interface Pattern {
  test(text: string): boolean;
}

const MAX_LENGTH = 1000;
/** Steps of the compiled pattern. The time of a match is the product of these and the length of the text. */
const MAX_STEPS = 10_000;
const MAX_REMEMBERED = 1000;
const remembered = new Map<string, Pattern>();

/**
 * Compiles a pattern of a fault plan or switch. A pattern that starts with `^` is a regular expression. Any other pattern is a
 * glob for the whole text: `**` matches any characters, and `*` matches any characters except `/`.
 *
 * RE2 matches both, because its time is linear in the length of the text. With the regular expressions of JavaScript, and glob
 * libraries based on them, a pattern can make the emulator hang. RE2 does not support look-around and back references.
 *
 * @throws Error for an invalid regular expression, and for one whose repetitions make it large
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
  // The lists of permissions that programs write have thousands of names.
  if (!source.startsWith("^") && !source.includes("*")) return { test: (text) => text === source };
  // Loaded with the first pattern, because most emulators use no patterns and start faster without RE2.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load it at every start
  const { RE2JS } = require("re2js") as typeof re2js;
  if (!source.startsWith("^")) return RE2JS.compile(globExpression(source), RE2JS.DOTALL);
  const compiled = RE2JS.compile(source);
  if (compiled.programSize() > MAX_STEPS) throw new Error("the repetitions of the pattern make it too large");
  return compiled;
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
