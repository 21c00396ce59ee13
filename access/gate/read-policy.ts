import * as z from "zod";
import { InputError } from "../../provider/core/errors";
import { didYouMean, formatPath, quote, type Problem } from "../../provider/core/problem";
import { isRecord } from "../../provider/core/unknown";
import { checkedPolicy, reviewPolicy, type ReviewPolicy } from "./rules";

/** With thousands of open brackets, the YAML parser's regular expressions run out of memory and the process ends. */
const MAX_BRACKETS = 200;
/** Loaded for a file of rules, which few projects have. Not with `import()`, because rules are read at once. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
const loadYaml = () => require("yaml") as typeof import("yaml");
/** Far more characters than rules that a person can check. */
const MAX_CHARACTERS = 1_000_000;

/**
 * Reads `.perimeter-review.yaml`, YAML or JSON.
 *
 * @param name of the file, for the error
 * @throws InputError that lists every mistake with its property
 */
export function readPolicy(text: string, name: string): ReviewPolicy {
  const content = parsed(text, name);
  try {
    return checkedPolicy(content);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new InputError(
      name,
      error.issues.flatMap((issue) => problemsOf(issue, content)),
    );
  }
}

function parsed(text: string, name: string): unknown {
  const fail = (reason: string) => new InputError(name, [{ path: "The file", reason }]);
  if (text.length > MAX_CHARACTERS) throw fail(`must have at most ${MAX_CHARACTERS} characters`);
  if (deepest(text) > MAX_BRACKETS) throw fail(`must not nest brackets more than ${MAX_BRACKETS} deep`);
  try {
    return loadYaml().parse(text);
  } catch (error) {
    throw fail(`must be YAML or JSON: ${error instanceof Error ? error.message.trim() : String(error)}`);
  }
}

function deepest(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of text) {
    if (character === "[" || character === "{") deepest = Math.max(deepest, ++depth);
    else if (character === "]" || character === "}") depth--;
  }
  return deepest;
}

function problemsOf(issue: z.core.$ZodIssue, content: unknown): Problem[] {
  const at = issue.path.map((each) => (typeof each === "symbol" ? String(each) : each));
  const path = formatPath(at) || "The file";
  if (issue.code === "unrecognized_keys") {
    const known = knownAt(at);
    return issue.keys.map((key) => ({
      path: formatPath([...at, key]),
      reason: `is not a property here${didYouMean(key, known)}; the properties are ${known.join(", ")}`,
    }));
  }
  const value = valueAt(content, at);
  if (value === undefined) return [{ path, reason: "is required" }];
  if (issue.code === "invalid_type") {
    const wanted = KINDS[issue.expected] ?? issue.expected;
    return [{ path, reason: `must be ${wanted}, got ${value === null ? "nothing" : quote(value)}` }];
  }
  if (issue.code === "invalid_value") {
    const wanted = issue.values.map((each) => quote(each)).join(" or ");
    return [{ path, reason: `must be ${wanted}, got ${quote(value)}` }];
  }
  return [{ path, reason: issue.message }];
}

const KINDS: Record<string, string> = {
  string: "a string",
  array: "a list",
  object: "an object",
  boolean: "true or false",
};

function valueAt(content: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)] as unknown;
    return isRecord(value) ? value[key] : undefined;
  }, content);
}

/** The properties that the object at a path may have: those of the file, or of a rule in one of its lists. */
function knownAt([list]: readonly (string | number)[]): string[] {
  if (list === undefined) return Object.keys(reviewPolicy.shape);
  const schema = Object.entries(reviewPolicy.shape).find(([name]) => name === list)?.[1];
  const inner = schema && "unwrap" in schema ? schema.unwrap() : schema;
  const element = inner && "element" in inner ? inner.element : undefined;
  return element && "shape" in element ? Object.keys(element.shape) : [];
}
