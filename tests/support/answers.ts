import { maskPrincipals, type MaskOptions } from "../../access/formats/masked-principals";
import {
  answerSchema,
  judgementsWith,
  summaryOf,
  type Answer,
  type Judgement,
  type StackAnswer,
  type Verdict,
} from "../../access/result/result";
import { allowedSentence } from "../../access/result/sentences";

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
  const verdict = verdictOf({ exitCode: exitCode ?? 0, rules: null });
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

interface AnswerChange extends Partial<Pick<OneStack, "operation" | "stack" | "project">> {
  exitCode?: 0 | 2 | 3;
  /** The names of several stacks in place of the one. */
  stacks?: readonly string[];
}

/** An answer about the stack clinic/dev without a finding. @param note a sentence that every form shows */
export function emptyAnswer(note: string, { exitCode = 2, stacks, ...change }: AnswerChange = {}): Answer {
  const answer = answerWith({ project: "clinic", stack: "dev", notes: [note], exitCode, ...change });
  const [one] = answer.stacks;
  if (!one || !stacks) return answer;
  return {
    ...answer,
    stacks: stacks.map((name) => {
      const [project = "", stack = ""] = name.split("/");
      return { ...one, project, stack };
    }),
  };
}

/** The answer with masked names. */
export function maskedStack(fields: Partial<OneStack>, options?: MaskOptions): OneStack {
  return onlyStack(maskPrincipals(answerWith(fields), options));
}

/** The judgements of a verdict by their effect, and what it allows as the forms say it. */
export function byEffect(verdict: Verdict) {
  const { judgements: _, ...rest } = verdict;
  const of = (effect: Judgement["effect"]) =>
    judgementsWith(verdict, effect).map(({ effect: _effect, ...each }) => each);
  const allowed = judgementsWith(verdict, "allows").map(allowedSentence);
  const warnings = of("warns");
  return { ...rest, violations: of("refuses"), ...(warnings.length > 0 && { warnings }), allowed };
}

type Judged = Omit<Judgement, "effect">;

interface Effects extends Omit<Verdict, "judgements"> {
  violations?: readonly Judged[];
  warnings?: readonly Judged[];
  allowed?: readonly string[];
}

/** A verdict with these judgements. */
export function verdictOf({ violations = [], warnings = [], allowed = [], ...verdict }: Effects): Verdict {
  return {
    ...verdict,
    judgements: [
      ...violations.map((each) => ({ effect: "refuses" as const, ...each })),
      ...warnings.map((each) => ({ effect: "warns" as const, ...each })),
      ...allowed.map((message) => ({ effect: "allows" as const, rule: "allowLoss[0]", message })),
    ],
  };
}
