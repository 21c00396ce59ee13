import type { Answer } from "../result/result";
import { oneLine, shortened } from "../result/visible";
import { alertsOf, type Alert, type AlertOptions } from "./alerts";

const LONGEST_DESCRIPTION = 2_000;

/** The severities of GitLab are info, minor, major, critical and blocker. */
const SEVERITIES: Readonly<Record<Alert["level"], string>> = { error: "critical", warning: "minor" };

/**
 * Formats the violations and warnings of a review as a report of GitLab's code quality, where each needs a
 * file and a line: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
 */
export function codeQualityText(answer: Answer, options: AlertOptions = {}): string {
  const issues = alertsOf(answer, options).map(({ rule, level, sentences, place, file, fingerprint }) => {
    const { line = 1, facts = [] } = place ?? {};
    return {
      description: shortened(oneLine([...sentences, ...facts].join(" ")), LONGEST_DESCRIPTION),
      check_name: `perimeter/${rule}`,
      fingerprint,
      severity: SEVERITIES[level],
      location: { path: file, lines: { begin: line } },
    };
  });
  return `${JSON.stringify(issues, null, 2)}\n`;
}
