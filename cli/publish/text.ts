import { markdownText, type Answer } from "../../access";
import { inHtmlComment } from "../../access/result/visible";
import type { Job } from "./platform";
import { askedStacks, type Question } from "./question";

/** The text of a comment or an issue. */

/**
 * The text of an answer, or of a run without one. The first line is the same for all answers about a stack, and identifies them:
 * GitHub and the others do not show it. Of several stacks or of an unknown one, it names the job.
 */
export async function textOf(answer: Answer | undefined, question: Question, job: Job): Promise<string> {
  const text = answer === undefined ? await failedText(question, job) : markdownText(answer);
  const [first = "", ...lines] = text.split("\n");
  const [, command = "review", name = ""] = /^<!-- perimeter-(\w+): (\S+) -->$/.exec(first) ?? [];
  const marker = name.includes("/") ? first : `<!-- perimeter-${command}: ${name} of ${inHtmlComment(job.name)} -->`;
  const [commit] = job.head?.commits ?? [];
  const about = commit === undefined ? "By" : `About commit ${commit}, by`;
  return `${[marker, ...lines].join("\n").trimEnd()}\n\n${about} [this run](${job.log}).\n`;
}

async function failedText(question: Question, { log }: Job): Promise<string> {
  const [names, another] = await askedStacks(question);
  const name =
    names === undefined || another !== undefined
      ? "stacks"
      : [names.project, names.stack].flatMap((each) => (each === undefined ? [] : inHtmlComment(each))).join("/");
  return (
    `<!-- perimeter-${question.command}: ${name} -->\n### Access review failed\n\n` +
    `There is no answer about \`${name}\`: [the log of the run](${log}) says why. An earlier answer does not count any more.\n`
  );
}
