import {
  judgementsWith,
  type Answer,
  type Judgement,
  type Sources,
  type StackAnswer,
  type Uncertainty,
} from "../result/result";
import { changeSentence, refusalSentence } from "../result/sentences";
import { sentenceOf } from "../result/stacks";

/**
 * What a review judged, for the form that lists what passes, too: JUnit. A finding is a change, a refused step, an unknown fact, or
 * what only a violation or a warning names: a kept or an unmanaged grant, or a problem of the rules.
 */
export interface Finding {
  /** The stack that it is about. */
  of: StackAnswer;
  /** Its names are as in the answer. Of several stacks, it begins with the name of its own. */
  sentence: string;
  /** Relative name of the resource that it is about, if any. */
  resource?: string | undefined;
  /** URNs of the steps that it is about. */
  steps: readonly string[];
  /** Whether it is an unknown fact. */
  isUnknown?: boolean;
  violations: Judgement[];
  warnings: Judgement[];
}

/**
 * The changes of access in the order of the result, then refused steps, unknown facts, and what only the verdict names. Those of
 * several stacks are in the order of the stacks.
 */
export function findingsOf(answer: Answer): Finding[] {
  return answer.stacks.flatMap((stack) => findingsOfStack(answer, stack));
}

function findingsOfStack(answer: Answer, stack: StackAnswer): Finding[] {
  const { resources, refused, unknown, verdict } = stack;
  const numbers = new Map<number, Finding>();
  const found: Finding[] = [];
  const add = (number: number | undefined, of: Omit<Finding, "of" | "violations" | "warnings">): Finding => {
    const each = { of: stack, ...of, sentence: sentenceOf(answer, stack, of.sentence), violations: [], warnings: [] };
    found.push(each);
    if (number !== undefined) numbers.set(number, each);
    return each;
  };
  const addFact = ({ finding, message, step }: Uncertainty, resource?: string) =>
    add(finding, { sentence: message, resource, steps: step === undefined ? [] : [step], isUnknown: true });
  for (const { resource, changes } of resources) {
    for (const change of changes) {
      const { finding, steps } = change;
      add(finding, { sentence: changeSentence({ ...change, resource }, change), resource, steps });
    }
  }
  for (const { finding, step, resource, reason } of refused) {
    add(finding, { sentence: refusalSentence(reason), resource, steps: [step] });
  }
  for (const { resource, unknown: own } of resources) for (const fact of own) addFact(fact, resource);
  for (const fact of unknown) addFact(fact);
  const judged = ({ finding, message, resource }: Judgement): Finding => {
    const known = finding && numbers.get(finding.number);
    return known ?? add(finding?.number, { sentence: message, resource, steps: finding?.steps ?? [] });
  };
  for (const each of judgementsWith(verdict, "refuses")) judged(each).violations.push(each);
  for (const each of judgementsWith(verdict, "warns")) judged(each).warnings.push(each);
  return found;
}

/** The line of the program for the first of these steps that has one. A line that is still there comes first. */
export function sourceOf({ sources = {} }: StackAnswer, steps: readonly string[]): Sources[string] | undefined {
  const known = steps.flatMap((urn) => (Object.hasOwn(sources, urn) ? (sources[urn] ?? []) : []));
  return known.find(({ gone }) => !gone) ?? known[0];
}

/** The name of a rule. If several policy files apply, the violation has the file. */
export function ruleOf({ rule, file }: Judgement): string {
  return file === undefined ? rule : `${rule} of ${file}`;
}
