import { z } from "zod";

/** Mistakes in switches, a seed or a fault plan: all of them, each with its path. */
export class InputError extends Error {
  constructor(
    what: string,
    readonly problems: readonly string[],
  ) {
    super(`${what}: ${problems.join("; ")}`);
    this.name = "InputError";
  }
}

/**
 * The input as the schema reads it. Public types are made of the type of the result: `z.infer` would put zod's types into
 * the package's declaration files, where TypeScript refuses them without `esModuleInterop` or `skipLibCheck`.
 *
 * @throws InputError with every mistake
 * @internal
 */
export function parseInput<T>(what: string, schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (result.success) {
    return result.data;
  }
  throw new InputError(what, result.error.issues.flatMap(describeIssue));
}

function describeIssue(issue: z.core.$ZodIssue, _index: number): string[] {
  const path = issue.path.reduce<string>(
    (at, step) => (typeof step === "number" ? `${at}[${step}]` : at === "" ? String(step) : `${at}.${String(step)}`),
    "",
  );
  return [`${path === "" ? "" : `${path}: `}${issue.message}`];
}
