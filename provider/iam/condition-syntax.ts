/**
 * The expression's parser, loaded at the first condition: it takes longer to load than the provider's own modules, and most
 * programs have no conditions. Not with `import()`, as in `http/pool.ts`.
 */
// eslint-disable-next-line @typescript-eslint/no-require-imports
export const loadParser = () => require("@marcbachmann/cel-js") as typeof import("@marcbachmann/cel-js");

/** A raw text with a quote after a backslash: the parser does not end the text at this quote. */
const MISREAD = /\b[bB]?[rR][bB]?["'].*\\["']/s;

/**
 * Checks the syntax of a condition in the Common Expression Language (https://github.com/google/cel-spec).
 *
 * @returns the problem, as a phrase after the property and without the text, which may be secret; undefined for a valid
 *   expression, and where the parser cannot decide.
 */
export function conditionProblem(expression: string): string | undefined {
  if (MISREAD.test(expression)) return undefined;
  const { parse, ParseError } = loadParser();
  try {
    parse(expression);
    return undefined;
  } catch (error) {
    // An expression that is too large for this parser, or too deep for its stack, may be valid.
    if (!(error instanceof ParseError) || error.code === "limit_exceeded") return undefined;
    const start = error.range?.start ?? 0;
    const where = start >= expression.length ? "it ends too early" : `it is wrong at character ${start + 1}`;
    return `must be an expression of the Common Expression Language (CEL), but ${where}`;
  }
}
