import type { Answer } from "../result/result";
import { counted, logLine, oneLine, shortened, stepName } from "../result/visible";
import { alertsOf, type Alert } from "./alerts";
import { fullTitle, reportOf } from "./report";
import { byClause } from "./sections";

/**
 * Annotations of GitHub: commands that a step prints in the log of its job.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
 */

/** GitHub shows at most this number of annotations of a level for each step, and 50 for each job. */
const MOST_OF_A_LEVEL = 10;
const LIMIT = `GitHub shows at most ${MOST_OF_A_LEVEL} of each level for a step. The job summary has all.`;
const LONGEST_MESSAGE = 2_000;

/**
 * Formats the violations and warnings of a review as annotations, below the headline. One at a known line of the program is
 * shown there in the pull request. If there are more than GitHub shows, a notice has the number of the others.
 */
export function githubText(answer: Answer): string {
  const report = reportOf(answer);
  const title = fullTitle(report);
  const alerts = alertsOf(answer);
  const levels = (["error", "warning"] as const).map((level) => ({
    level,
    all: alerts.filter((each) => each.level === level),
  }));
  const more = levels.flatMap(({ level, all }) =>
    all.length > MOST_OF_A_LEVEL ? [counted(all.length - MOST_OF_A_LEVEL, `more ${level}`)] : [],
  );
  const lines = [
    logLine(report.headline),
    ...levels.flatMap(({ all }) => all.slice(0, MOST_OF_A_LEVEL).map((each) => annotation(title, each))),
    ...(more.length > 0 ? [command("notice", { title }, `${more.join(" and ")}: ${LIMIT}`)] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function annotation(title: string, { level, rule, sentences, steps, place }: Alert): string {
  const { file, line, facts = [] } = place ?? {};
  const message = [...sentences, ...byClause(steps.map(stepName)), ...facts].map(oneLine).join("\n");
  return command(level, { file, line, title: `${title}: ${rule}` }, shortened(message, LONGEST_MESSAGE));
}

/** A command in one line, escaped as by https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts. */
function command(name: string, properties: Record<string, string | number | undefined>, message: string): string {
  const given = Object.entries(properties).flatMap(([key, value]) =>
    value === undefined ? [] : `${key}=${escaped(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C")}`,
  );
  return `::${name} ${given.join(",")}::${escaped(message)}`;
}

function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
