import { maskPrincipals, type MaskOptions } from "../../access/formats/masked-principals";
import { answerSchema, summaryOf, type Answer, type StackAnswer } from "../../access/result/result";

/** An answer about one stack as one object: for tests that are not about several stacks. */
export type OneStack = StackAnswer & Omit<Answer, "stacks" | "notes" | "summary">;

/** Fails where the answer is about several stacks. */
export function onlyStack({ stacks, ...answer }: Answer): OneStack {
  const [stack, ...others] = stacks;
  if (!stack || others.length > 0) throw new Error(`The answer is about ${stacks.length} stacks`);
  return { ...answer, ...stack, notes: [...stack.notes, ...answer.notes] };
}

/** An answer about one stack with these fields, and a summary that agrees with them. */
export function answerWith(fields: Partial<OneStack>): Answer {
  const found = { resources: [], refused: [], unknown: [], ...fields };
  const { version = 1, operation = "update", masked, expiresWithin, exitCode, ...stack } = found;
  const verdict = { exitCode: exitCode ?? 0, violations: [], allowed: [], rules: null };
  const one = { notes: [], verdict, summary: summaryOf(found), ...stack };
  return answerSchema.parse({
    version,
    operation,
    masked,
    expiresWithin,
    stacks: [one],
    notes: [],
    summary: one.summary,
    exitCode: one.verdict.exitCode,
  });
}

/** The answer with masked names. */
export function maskedStack(fields: Partial<OneStack>, options?: MaskOptions): OneStack {
  return onlyStack(maskPrincipals(answerWith(fields), options));
}
