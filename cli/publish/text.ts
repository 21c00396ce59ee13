import { markdownText, type Answer } from "../../access";
import { inHtmlComment } from "../../access/result/visible";
import type { Job } from "./platform";
import { askedStacks, type Question } from "./question";

/** The text of a comment or an issue. */

/**
 * The text of an answer, or of a run without one. The first line is the same for all answers about a stack, and identifies them:
 * GitHub and the others do not show it. Of several stacks or of an unknown one, it names the job. An answer that names no stack is
 * about the one that the job asked for.
 */
export async function textOf(answer: Answer | undefined, question: Question, job: Job): Promise<string> {
  const asked = await askedName(question);
  const text = answer === undefined ? failedText(asked, question, job) : markdownText(answer);
  const [first = "", ...lines] = text.split("\n");
  const [, command = "review", name = ""] = /^<!-- perimeter-(\w+): (\S+) -->$/.exec(first) ?? [];
  const about = [name, asked].find((each) => each.includes("/")) ?? `${name} of ${inHtmlComment(job.name)}`;
  const [commit] = job.head?.commits ?? [];
  const by = commit === undefined ? "By" : `About commit ${commit}, by`;
  const marker = `<!-- perimeter-${command}: ${about} -->`;
  return `${[marker, ...lines].join("\n").trimEnd()}\n\n${by} [this run](${job.log}).\n`;
}

/** The name in the first line of an answer to a question: `clinic/dev`, `dev` if the project has no name, or `stacks`. */
async function askedName(question: Question): Promise<string> {
  const [names, another] = await askedStacks(question);
  if (names === undefined || another !== undefined) return "stacks";
  return [names.project, names.stack].flatMap((each) => (each === undefined ? [] : inHtmlComment(each))).join("/");
}

function failedText(name: string, { command }: Question, { log }: Job): string {
  return (
    `<!-- perimeter-${command}: ${name} -->\n### Access review failed\n\n` +
    `There is no answer about \`${name}\`: [the log of the run](${log}) says why. An earlier answer does not count any more.\n`
  );
}
