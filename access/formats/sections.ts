import {
  judgementsWith,
  type Answer,
  type Judgement,
  type Sources,
  type StackAnswer,
  type Uncertainty,
} from "../result/result";
import { allowedSentence, reasonOf } from "../result/sentences";
import { nameAmong, sentenceOf } from "../result/stacks";
import { stackIn, stackLabel } from "../result/urn";
import { oneLine, stepName, visible, visibleLines } from "../result/visible";

/** The lists of a report: their titles, and their entries in the order in which the text forms show them. */

export type Tone = "good" | "bad" | "warn" | "soft";

export interface Section {
  title: string;
  tone?: Tone;
  entries: Entry[];
}

export interface Entry {
  text: Piece[];
  /** Sentences below the text. */
  details: string[];
  /** The steps that the entry is about. */
  steps: Step[];
}

/** A step of the plan and the line of the program: `owners (IAMBinding)`, ` at `, `infra/index.ts:3`. */
export type Step = Piece[];

/** A part of a sentence. Names may contain markup, so each form marks them as names. */
export type Piece = string | { name: string };

export function sectionsOf(
  answer: Answer,
): Record<"refused" | "rules" | "warnings" | "unknown" | "allowed" | "notes", Section> {
  const { stacks } = answer;
  const judgedTo = (effect: Judgement["effect"]) =>
    stacks.flatMap((stack) => judgementsWith(stack.verdict, effect).map((judgement) => ({ stack, judgement })));
  // The other violations would repeat the changes.
  const rules = judgedTo("refuses").filter(
    ({ judgement: { rule, reason } }) => reason !== undefined || !["loss", "gain", "unknown", "refused"].includes(rule),
  );
  const allowed = judgedTo("allows").map(({ stack, judgement }) =>
    sentenceOf(answer, stack, allowedSentence(judgement)),
  );
  const ruleEntryOf = ({ stack, judgement }: (typeof rules)[number]) =>
    ruleEntry({ ...judgement, message: sentenceOf(answer, stack, judgement.message) });
  const unknownIn = (stack: StackAnswer) =>
    stack.unknown.map((fact) => {
      const message = fact.step === undefined ? sentenceOf(answer, stack, fact.message) : fact.message;
      return unknownEntry(answer, { ...fact, message });
    });
  return {
    refused: {
      title: "Refused by the provider",
      tone: "bad",
      entries: stacks.flatMap((stack) =>
        stack.refused.map(({ step, resource, reason }) => ({
          text: [
            ...stepOf(answer, step),
            ...(resource === undefined ? [] : [" on ", { name: visible(resource) }]),
            ":",
          ],
          details: visibleLines(reason),
          steps: [],
        })),
      ),
    },
    rules: {
      title:
        rules.length > 0 && rules.every(({ judgement }) => judgement.rule === "expected")
          ? "Not as the review expected"
          : "Rules",
      tone: "bad",
      entries: rules.map(ruleEntryOf),
    },
    warnings: { title: "Warnings", tone: "warn", entries: judgedTo("warns").map(ruleEntryOf) },
    unknown: { title: "Unknown", tone: "warn", entries: stacks.flatMap(unknownIn) },
    allowed: { title: "Allowed", entries: [...new Set(allowed)].map(sentenceEntry) },
    notes: { title: "Notes", tone: "soft", entries: notesOf(answer).map(sentenceEntry) },
  };
}

/** The notes of several stacks: each sentence once. Those that not every stack has say of which stack they are. */
function notesOf({ stacks, notes }: Answer): string[] {
  const [first, ...others] = stacks.map((each) => ({ name: stackLabel(each), ...each }));
  if (!first || others.length === 0) return [...(first?.notes ?? []), ...notes];
  const all = [first, ...others];
  const isCommon = (note: string) => all.every((each) => each.notes.includes(note));
  const own = all.flatMap(({ name, notes: of }) =>
    of.filter((each) => !isCommon(each)).map((each) => `${name}: ${each}`),
  );
  const codes = all.map(({ name, verdict }) => `of ${name}: ${verdict.exitCode}`).join("; ");
  return [`Exit code ${codes}`, ...notes, ...new Set(own), ...first.notes.filter(isCommon)];
}

function ruleEntry(judgement: Judgement): Entry {
  const { rule, file, message } = judgement;
  const of = file === undefined ? [] : [" of ", { name: visible(file) }];
  return {
    text: [{ name: visible(rule) }, ...of, `: ${oneLine(message)}`],
    details: reasonOf(judgement).map(oneLine),
    steps: [],
  };
}

/** @param at the stack that is named beside it */
export function unknownEntry(answer: Answer, { message, quoted = "", step }: Uncertainty, at?: StackAnswer): Entry {
  const steps = step === undefined ? [] : [stepOf(answer, step, at)];
  if (quoted === "" || !message.endsWith(quoted)) return { ...sentenceEntry(message), steps };
  // In a mark of its own, what a program printed reads as one text.
  const before = message.slice(0, -quoted.length);
  return { text: [`${oneLine(before)} `, { name: oneLine(quoted) }], details: [], steps };
}

/**
 * A step, with its stack if the answer is about several.
 *
 * @param at the stack that is named beside it. Another one can take what this one has.
 */
export function stepOf(answer: Answer, urn: string, at?: StackAnswer): Step {
  const name = nameAmong(answer, stackIn([{ urn }]));
  const stack = at && name === stackLabel(at) ? undefined : name;
  const step: Step = [{ name: stepName(urn) }, ...(stack === undefined ? [] : [` of ${visible(stack)}`])];
  const [source] = answer.stacks.flatMap((each) => sourceOf(each, [urn]) ?? []);
  if (!source) return step;
  const { file, line, component, gone } = source;
  const inComponent = component === undefined ? [] : [" (component ", { name: visible(component) }, ")"];
  return [...step, gone ? " was at " : " at ", { name: visible(`${file}:${line}`) }, ...inComponent];
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

/** Pieces without marks of names. */
export function plainText(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : piece.name)).join("");
}

/** The steps that cause a change, as a clause. Empty without a step. @param names such as `owners (IAMBinding)` */
export function byClause(names: readonly string[]): string[] {
  return names.length > 0 ? [`by ${names.join(", ")}`] : [];
}

function sentenceEntry(sentence: string): Entry {
  return { text: [oneLine(sentence)], details: [], steps: [] };
}
