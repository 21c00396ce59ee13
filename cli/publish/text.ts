import * as path from "node:path";
import { markdownText, projectFolderIn, type Answer } from "../../access";
import { inHtmlComment } from "../../access/result/visible";
import { projectAbove } from "../../provider/runtime/pulumi-project";
import { stackNamed } from "../folders";
import type { Job } from "./platform";

/** The text of a comment or an issue. */

/** What the job was asked for, for a run without an answer. */
export interface Question {
  command: "review" | "access";
  stacks: readonly string[];
  /** The arguments of `pulumi preview`. */
  pulumiArguments: readonly string[];
}

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
  const name = await nameOf(question);
  return (
    `<!-- perimeter-${question.command}: ${name} -->\n### Access review failed\n\n` +
    `There is no answer about \`${name}\`: [the log of the run](${log}) says why. An earlier answer does not count any more.\n`
  );
}

/** The name of a stack as the first line of its answers has it, with the project's name as Pulumi reads it. */
async function nameOf({ stacks, pulumiArguments }: Question): Promise<string> {
  const [named, another] = stacks;
  if (named === undefined || another !== undefined) return "stacks";
  const { stack, cwd = projectFolderIn(pulumiArguments) ?? "." } = stackNamed(named);
  const [name = "", ofName] = stack.split("/").toReversed();
  const project = (await projectAbove(path.resolve(cwd)))?.name ?? ofName;
  return [project, name].flatMap((each) => (each === undefined ? [] : inHtmlComment(each))).join("/");
}
