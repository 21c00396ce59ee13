import type { ReviewResult, Uncertainty, Violation } from "../result/result";
import { reasonOf } from "../result/sentences";
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

type SectionName = "refused" | "rules" | "warnings" | "unknown" | "allowed" | "notes";

export function sectionsOf(result: ReviewResult): Record<SectionName, Section> {
  const { refused, verdict, unknown, notes } = result;
  // The other violations would repeat the changes.
  const rules = verdict.violations.filter(
    ({ rule, reason }) => reason !== undefined || !["loss", "gain", "unknown", "refused"].includes(rule),
  );
  return {
    refused: {
      title: "Refused by the provider",
      tone: "bad",
      entries: refused.map(({ step, resource, reason }) => ({
        text: [...stepOf(result, step), ...(resource === undefined ? [] : [" on ", { name: visible(resource) }]), ":"],
        details: visibleLines(reason),
        steps: [],
      })),
    },
    rules: {
      title:
        rules.length > 0 && rules.every(({ rule }) => rule === "expected") ? "Not as the review expected" : "Rules",
      tone: "bad",
      entries: rules.map(ruleEntry),
    },
    warnings: { title: "Warnings", tone: "warn", entries: (verdict.warnings ?? []).map(ruleEntry) },
    unknown: { title: "Unknown", tone: "warn", entries: unknown.map((each) => unknownEntry(result, each)) },
    allowed: { title: "Allowed", entries: verdict.allowed.map(sentenceEntry) },
    notes: { title: "Notes", tone: "soft", entries: notes.map(sentenceEntry) },
  };
}

function ruleEntry(violation: Violation): Entry {
  const { rule, file, message } = violation;
  const of = file === undefined ? [] : [" of ", { name: visible(file) }];
  return {
    text: [{ name: visible(rule) }, ...of, `: ${oneLine(message)}`],
    details: reasonOf(violation).map(oneLine),
    steps: [],
  };
}

export function unknownEntry(result: ReviewResult, { message, quoted = "", step }: Uncertainty): Entry {
  const steps = step === undefined ? [] : [stepOf(result, step)];
  if (quoted === "" || !message.endsWith(quoted)) return { ...sentenceEntry(message), steps };
  // In a mark of its own, what a program printed reads as one text.
  const before = message.slice(0, -quoted.length);
  return { text: [`${oneLine(before)} `, { name: oneLine(quoted) }], details: [], steps };
}

export function stepOf({ sources = {} }: ReviewResult, urn: string): Step {
  const source = Object.hasOwn(sources, urn) ? sources[urn] : undefined;
  if (!source) return [{ name: stepName(urn) }];
  const { file, line, component, gone } = source;
  const inComponent = component === undefined ? [] : [" (component ", { name: visible(component) }, ")"];
  return [{ name: stepName(urn) }, gone ? " was at " : " at ", { name: visible(`${file}:${line}`) }, ...inComponent];
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
