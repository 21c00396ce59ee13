import { escapedText } from "../../picture/html";
import type { Answer, Judgement } from "../result/result";
import { reasonOf } from "../result/sentences";
import { logLine, oneLine, stepName, visible } from "../result/visible";
import { findingsOf, ruleOf, sourceOf, type Finding } from "./findings";
import { fullTitle, reportOf } from "./report";
import { byClause } from "./sections";

/**
 * Formats a review as JUnit XML: one suite, with a test for each change, refused step and unknown fact, and for what only the
 * verdict names. A violation is a failure, a warning is output of its test, and an unknown fact that the rules allow is skipped.
 * Without any of them, one test that passes has the headline: Jenkins refuses a report without tests.
 */
export function junitText(answer: Answer): string {
  const report = reportOf(answer);
  const { title, headline } = report;
  const suite = fullTitle(report);
  const findings = findingsOf(answer);
  const failures = findings.filter(({ violations }) => violations.length > 0).length;
  const skipped = findings.filter(isSkipped).length;
  const unique = uniqueNames();
  const tests = findings.map((finding) => {
    const place = finding.resource ?? suite;
    const { file, line } = sourceOf(finding.of, finding.steps) ?? {};
    const attributes = { name: unique(place, oneLine(finding.sentence)), classname: place, file, line };
    return element("testcase", attributes, contentOf(finding));
  });
  const cases = tests.length > 0 ? tests : [element("testcase", { name: headline, classname: suite })];
  const counts = { tests: cases.length, failures, errors: 0, skipped };
  const content = element("testsuite", { name: suite, ...counts }, cases);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", { name: title, ...counts }, [content])}`;
}

function isSkipped({ isUnknown, violations }: Finding): boolean {
  return isUnknown === true && violations.length === 0;
}

function contentOf(finding: Finding): string[] {
  const { violations, warnings, steps } = finding;
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
    ...(isSkipped(finding) ? [element("skipped", { message: "It is unknown, and the rules allow that." })] : []),
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
