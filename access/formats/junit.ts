import { escapedText } from "../../picture/html";
import { judgementsWith, type Answer, type Judgement, type StackAnswer } from "../result/result";
import { itemsOf, type Item } from "../result/items";
import { reasonOf } from "../result/sentences";
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
  const found = answer.stacks.flatMap((stack) => casesOf(answer, stack));
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
 * unmanaged grant, or a problem of the rules. The sentence has names as in the answer. Of several stacks, it begins with the name
 * of its own.
 */
interface Case extends Pick<Item, "sentence" | "resource" | "steps" | "fact"> {
  /** The stack that it is about. */
  of: StackAnswer;
  violations: Judgement[];
  warnings: Judgement[];
}

/** What was found about a stack, and then what only its verdict names. */
function casesOf(answer: Answer, stack: StackAnswer): Case[] {
  const caseOf = (each: Pick<Case, "sentence" | "resource" | "steps" | "fact">): Case => {
    return { ...each, of: stack, sentence: sentenceOf(answer, stack, each.sentence), violations: [], warnings: [] };
  };
  const items = itemsOf(stack).map((item) => ({ number: item.number, found: caseOf(item) }));
  const found = items.map((each) => each.found);
  const numbers = new Map(items.map((each) => [each.number, each.found]));
  const judged = ({ finding, message, resource }: Judgement): Case => {
    const known = finding && numbers.get(finding.number);
    if (known) return known;
    const added = caseOf({ sentence: message, resource, steps: finding?.steps ?? [] });
    found.push(added);
    if (finding) numbers.set(finding.number, added);
    return added;
  };
  for (const each of judgementsWith(stack.verdict, "refuses")) judged(each).violations.push(each);
  for (const each of judgementsWith(stack.verdict, "warns")) judged(each).warnings.push(each);
  return found;
}

function isSkipped({ fact, violations }: Case): boolean {
  return fact !== undefined && violations.length === 0;
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

/** An element on lines of its own. @param content lines of XML */
function element(
  name: string,
  attributes: Record<string, string | number | undefined>,
  content: readonly string[] = [],
): string {
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
