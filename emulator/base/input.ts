import { z } from "zod";
import { firstHundred } from "./errors";

/** Lists the mistakes in switches, a seed or a fault plan, each with its path: the first hundred, and the number of the others. */
export class InputError extends Error {
  readonly problems: readonly string[];

  constructor(what: string, all: readonly string[]) {
    const problems = firstHundred(all, "problems");
    super(`${what}: ${problems.join("; ")}`);
    this.name = "InputError";
    this.problems = problems;
  }
}

/**
 * Parses the input with the schema. Public types are derived from the return type, because `z.infer` would put zod's types
 * into the package's declaration files. There, TypeScript rejects them without `esModuleInterop` or `skipLibCheck`.
 *
 * @throws InputError with every mistake
 * @internal
 */
export function parseInput<T>(what: string, schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (result.success) {
    return result.data;
  }
  throw new InputError(
    what,
    result.error.issues.flatMap((issue) => describeIssue(issue, schema)),
  );
}

function describeIssue(issue: z.core.$ZodIssue, schema: z.ZodType, above: readonly PropertyKey[] = []): string[] {
  const steps = [...above, ...issue.path];
  if (issue.code === "invalid_union" && issue.errors.length > 0) return describeUnion(issue.errors, schema, steps);
  const path = steps.reduce<string>(
    (at, step) => (typeof step === "number" ? `${at}[${step}]` : at === "" ? String(step) : `${at}.${String(step)}`),
    "",
  );
  const place = path === "" ? "" : `${path}: `;
  if (issue.code !== "unrecognized_keys") return [`${place}${issue.message}`];
  const keys = firstHundred(
    issue.keys.map((key) => JSON.stringify(key)),
    "keys",
  );
  const known = keysAt(schema, steps);
  const right = known.length > 0 ? ` (the keys are ${known.join(", ")})` : "";
  return [`${place}Unrecognized key${keys.length > 1 ? "s" : ""}: ${keys.join(", ")}${right}`];
}

/** What is wrong in the form that was probably meant: the one that fits best, and of several, the one with the fewest mistakes. */
function describeUnion(forms: z.core.$ZodIssue[][], schema: z.ZodType, at: readonly PropertyKey[]): string[] {
  const [meant = []] = [...forms].sort((a, b) => misfit(a) - misfit(b) || a.length - b.length);
  const issues = misfit(meant) === OTHER_TYPE ? forms.flat() : meant;
  return [...new Set(issues.flatMap((issue) => describeIssue(issue, schema, at)))];
}

const OTHER_TYPE = 2;

/** 0 where the mistake is within the value, 1 where it is another value of the type. */
function misfit([first]: z.core.$ZodIssue[]): number {
  if (first === undefined || first.path.length > 0) return 0;
  return first.code === "invalid_type" ? OTHER_TYPE : first.code === "invalid_value" ? 1 : 0;
}

/** The keys of the schema at a path. Empty if the path contains anything other than objects and lists. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at: unknown = schema;
  for (const step of path) {
    at = unwrapped(at);
    if (at instanceof z.ZodArray) at = at.element;
    else if (at instanceof z.ZodObject) at = (at.shape as Record<PropertyKey, unknown>)[step];
    else return [];
  }
  const object = unwrapped(at);
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

/** The schema within `optional()` and `default()`. */
function unwrapped(schema: unknown): unknown {
  let at = schema;
  while (at instanceof z.ZodOptional || at instanceof z.ZodDefault) at = at.unwrap();
  return at;
}
