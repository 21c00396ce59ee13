import { createHash } from "node:crypto";
import { isUnsure, judgementsWith, type Answer, type Judgement, type StackAnswer } from "../result/result";
import { oneLine, visible } from "../result/visible";
import { reasonOf } from "../result/sentences";
import { sentenceOf } from "../result/stacks";
import { ruleOf, sourceOf } from "./sections";

/**
 * A violation or a warning, for the forms that show each at a line of the program: SARIF, annotations on GitHub, and the code
 * quality of GitLab. What the rules allow is not an alert.
 */
export interface Alert {
  /** The stack whose verdict has it. */
  of: StackAnswer;
  judgement: Judgement;
  /** A rule of one of several policy files has the name of the file: two files may have rules of the same name. */
  rule: string;
  /** An unknown fact is a warning, also where it is a violation, and so is a rule of which it is unknown whether it applies. */
  level: "error" | "warning";
  /** The file for a reader that needs one: that of the place, or of the project. */
  file: string;
  /** What it says: the message, and the reason of the rule. */
  sentences: string[];
  /** URNs of the steps that it is about. */
  steps: readonly string[];
  /** Undefined if no line of the program is known. */
  place?: Place | undefined;
  /**
   * A hash of the finding, and a number that distinguishes alerts with the same hash. Both stay the same in later runs, also when
   * the line moves.
   */
  fingerprint: string;
}

export interface AlertOptions {
  /**
   * The file of an alert without a known line, relative to the root of the repository, in forms whose readers need a file. For a
   * review of several stacks, one for each.
   *
   * @default Pulumi.yaml
   */
  projectFile?: string | readonly string[];
}

const PROJECT_FILE = "Pulumi.yaml";

export interface Place {
  /** Relative to the root of the repository. */
  file: string;
  /** Undefined for a line that is not in the file any more. */
  line?: number;
  /** Sentences about the place. */
  facts: string[];
}

/** The violations and warnings of a review: errors come before warnings. */
export function alertsOf(answer: Answer, { projectFile = PROJECT_FILE }: AlertOptions = {}): Alert[] {
  const files = [projectFile].flat();
  const all = answer.stacks.flatMap((stack, index) => alertsOfStack(answer, stack, files[index] ?? PROJECT_FILE));
  return all.sort((a, b) => a.level.localeCompare(b.level));
}

function alertsOfStack(answer: Answer, stack: StackAnswer, projectFile: string): Alert[] {
  const fingerprintOf = fingerprintsOf(answer, stack);
  const shown = [...judgementsWith(stack.verdict, "refuses"), ...judgementsWith(stack.verdict, "warns")];
  return shown.map((judgement) => {
    const { effect, finding, message } = judgement;
    const by = finding?.steps ?? [];
    const place = placeOf(stack, by);
    const rule = oneLine(ruleOf(judgement));
    return {
      of: stack,
      judgement,
      rule,
      level: effect === "warns" || isUnsure(judgement) ? "warning" : "error",
      sentences: [sentenceOf(answer, stack, message), ...reasonOf(judgement)],
      steps: by,
      place,
      file: place?.file ?? projectFile,
      fingerprint: fingerprintOf(judgement, rule, by),
    };
  });
}

function placeOf(stack: StackAnswer, steps: readonly string[]): Place | undefined {
  const source = sourceOf(stack, steps);
  if (source === undefined) return undefined;
  const { file, line, component, gone } = source;
  return {
    file: visible(file),
    ...(!gone && { line }),
    facts: [
      ...(gone ? [`It was declared in line ${line}.`] : []),
      ...(component === undefined ? [] : [`The component ${component} makes it.`]),
    ],
  };
}

function fingerprintsOf({ operation, masked }: Answer, { project, stack }: StackAnswer) {
  const numbers = new Map<string, number>();
  return ({ principal, role, resource, message }: Judgement, rule: string, steps: readonly string[]): string => {
    const about = principal === undefined ? [resource, ...steps] : [resource, principal, role];
    const named = about.some((each) => each !== undefined) ? about : [message];
    const key = JSON.stringify([operation, project, stack, rule, ...named]);
    // Another answer may number masked names differently.
    const text = masked ? key.replace(/…\d+/g, "…") : key;
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 32);
    const number = (numbers.get(hash) ?? 0) + 1;
    numbers.set(hash, number);
    return `${hash}:${number}`;
  };
}
