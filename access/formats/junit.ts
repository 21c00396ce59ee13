import { escapedText } from "../../picture/html";
import { judgementsWith, type Answer, type Judgement, type StackAnswer, type Uncertainty } from "../result/result";
import { changeSentence, reasonOf, refusalSentence } from "../result/sentences";
import { sentenceOf } from "../result/stacks";
import { logLine, oneLine, stepName, visible } from "../result/visible";
import { fullTitle, reportOf } from "./report";
import { byClause, ruleOf, sourceOf } from "./sections";

/**
 * Formats a review as JUnit XML: one suite, with a test for each change, refused step and unknown fact, and for what only the
 * verdict names. A violation is a failure, a warning is output of its test, and an unknown fact that the rules allow is skipped.
 * Without any of them, one test that passes has the headline: Jenkins refuses a report without tests.
 */
export function junitText(answer: Answer): string {
  const report = reportOf(answer);
  const { title, headline } = report;
  const suite = fullTitle(report);
  const found = casesOf(answer);
  const failures = found.filter(({ violations }) => violations.length > 0).length;
  const skipped = found.filter(isSkipped).length;
  const unique = uniqueNames();
  const tests = found.map((each) => {
    const place = each.resource ?? suite;
    const { file, line } = sourceOf(each.of, each.steps) ?? {};
    const attributes = { name: unique(place, oneLine(each.sentence)), classname: place, file, line };
    return element("testcase", attributes, contentOf(each));
  });
  const cases = tests.length > 0 ? tests : [element("testcase", { name: headline, classname: suite })];
  const counts = { tests: cases.length, failures, errors: 0, skipped };
  const content = element("testsuite", { name: suite, ...counts }, cases);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", { name: title, ...counts }, [content])}`;
}

/**
 * A test of the suite: a change, a refused step, an unknown fact, or what only a violation or a warning names: a kept or an
 * unmanaged grant, or a problem of the rules.
 */
interface Case {
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
function casesOf(answer: Answer): Case[] {
  return answer.stacks.flatMap((stack) => casesOfStack(answer, stack));
}

function casesOfStack(answer: Answer, stack: StackAnswer): Case[] {
  const { resources, refused, unknown, verdict } = stack;
  const numbers = new Map<number, Case>();
  const found: Case[] = [];
  const add = (number: number | undefined, of: Omit<Case, "of" | "violations" | "warnings">): Case => {
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
  const judged = ({ finding, message, resource }: Judgement): Case => {
    const known = finding && numbers.get(finding.number);
    return known ?? add(finding?.number, { sentence: message, resource, steps: finding?.steps ?? [] });
  };
  for (const each of judgementsWith(verdict, "refuses")) judged(each).violations.push(each);
  for (const each of judgementsWith(verdict, "warns")) judged(each).warnings.push(each);
  return found;
}

function isSkipped({ isUnknown, violations }: Case): boolean {
  return isUnknown === true && violations.length === 0;
}

function contentOf(test: Case): string[] {
  const { violations, warnings, steps } = test;
  const [first] = violations;
  const failure =
    first &&
    element(
      "failure",
      { message: oneLine(first.message), type: [...new Set(violations.map(({ rule }) => rule))].join(", ") },
      [...violations.flatMap(linesOf), ...byClause(steps.map(stepName))].map(contentLine),
    );
  return [
    ...(failure === undefined ? [] : [failure]),
    ...(isSkipped(test) ? [element("skipped", { message: "It is unknown, and the rules allow that." })] : []),
    ...(warnings.length > 0
      ? [element("system-out", {}, ["Warning:", ...warnings.flatMap(linesOf)].map(contentLine))]
      : []),
  ];
}

function linesOf(judgement: Judgement): string[] {
  return [`${ruleOf(judgement)}: ${oneLine(judgement.message)}`, ...reasonOf(judgement).map(oneLine)];
}

/** A function that adds a number to a name that the class has already: of tests with one name, GitLab shows only the first. */
function uniqueNames(): (place: string, name: string) => string {
  const counts = new Map<string, number>();
  return (place, name) => {
    const key = JSON.stringify([place, name]);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 1 ? name : `${name} (${count})`;
  };
}

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element on lines of its own. @param content lines of XML */
function element(name: string, attributes: Attributes, content: readonly string[] = []): string {
  const shown = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${xmlText(String(value))}"`],
  );
  const start = `<${name}${shown.join("")}`;
  if (content.length === 0) return `${start}/>\n`;
  return `${start}>\n${content.map((each) => (each.endsWith("\n") ? each : `${each}\n`)).join("")}</${name}>\n`;
}

/** A line of an element, which the log of a job may show. */
function contentLine(text: string): string {
  return xmlText(logLine(visible(text)));
}

/** Two code points that XML 1.0 forbids (2.2), and that `visible` leaves. */
const FORBIDDEN = /[\ufffe\uffff]/g;

/** A text in one line, for an element or an attribute. XML 1.0 forbids control characters, also in references. */
function xmlText(text: string): string {
  return escapedText(visible(text).replace(FORBIDDEN, (each) => `\\u{${each.charCodeAt(0).toString(16)}}`));
}
