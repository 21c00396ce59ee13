import { appendFileSync, existsSync } from "node:fs";
import type { Answer } from "../../access";
import { COMMAND } from "../../provider/command";
import { readAnyAnswer } from "../answer";
import type { Terminal } from "../terminal";
import { azure } from "./azure";
import { bitbucket } from "./bitbucket";
import { gitHub } from "./github";
import { gitLab } from "./gitlab";
import type { Environment, Head, Job, Platform, Posts } from "./platform";
import { askedStacks, labelsOf, otherQuestion, type Question } from "./question";
import { repeated } from "./rest";
import { textOf } from "./text";

/** Options of `perimeter publish`, with commander's names. */
export interface PublishOptions {
  /** Path of a file. */
  answer?: string;
  stack: string[];
  of: Question["command"];
  as: "comment" | "issue";
}

/** The platforms, by a variable that each sets in all of its jobs. */
const PLATFORMS: Readonly<Record<string, (environment: Environment) => Platform>> = {
  GITHUB_ACTIONS: gitHub,
  GITLAB_CI: gitLab,
  TF_BUILD: azure,
  BITBUCKET_BUILD_NUMBER: bitbucket,
};

/**
 * Keeps an answer up to date on the platform of the job. Without an answer it says so there, because an earlier one must not stay.
 *
 * @returns 0, or 1 if the file has no answer about the stacks and the command that the job names
 * @throws Error outside of a job, for a name without an option, and for an answer of the platform that is no success
 */
export async function runPublish(
  { answer, stack, of, as }: PublishOptions,
  pulumiArguments: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { environment = process.env, writeError } = terminal;
  const [first = "-"] = pulumiArguments;
  if (!first.startsWith("-")) throw new Error(`${first} is no argument of Pulumi: name a stack with --stack ${first}`);
  const [, open] = Object.entries(PLATFORMS).find(([variable]) => environment[variable]) ?? [];
  if (open === undefined)
    throw new Error(`\`${COMMAND} publish\` runs in a job of GitHub, GitLab, Azure Pipelines or Bitbucket`);
  const platform = open(environment);
  const question = { command: of, stacks: stack, pulumiArguments };
  const { result, problem } = await answerTo(question, answer);
  if (problem !== undefined) writeError(`error: ${problem}\n`);
  else if (answer !== undefined && result === undefined)
    writeError(`warning: ${answer} does not exist, so there is no answer: the log of the review says why\n`);
  await publish(platform, { question, result, as }, terminal);
  return problem === undefined ? 0 : 1;
}

/** The answer in a file, if it exists, or why the file has none. */
async function answerTo(question: Question, file?: string): Promise<{ result?: Answer; problem?: string }> {
  if (file === undefined || !existsSync(file)) return {};
  try {
    const result = readAnyAnswer(file);
    const other = await otherQuestion(result, question);
    return other === undefined ? { result } : { problem: `${file} is not the answer of this job: ${other}` };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** What is published. */
interface Published extends Pick<PublishOptions, "as"> {
  question: Question;
  result?: Answer;
}

async function publish(platform: Platform, { question, result, as }: Published, { write }: Terminal): Promise<void> {
  const { job, comments, issues, now, report, summary } = platform;
  if (report) return report(result, labelsOf(await askedStacks(question)));
  const text = await textOf(result, question, job);
  if (result === undefined && summary !== undefined) appendFileSync(summary, text);
  if (as === "issue") {
    if (issues === undefined) throw new Error("This platform has no issues: use --as comment");
    return keep(issues, text, result === undefined || result.exitCode !== 0);
  }
  if (comments === undefined) return write("There is no pull request to comment on.\n");
  const newer = newerThan(job, await now?.());
  if (newer !== undefined) return write(`The comment is left to the run of ${newer}.\n`);
  await keep(comments, text, true);
}

/** What the pull request is about now, if that is not what this job checked: its own run has written, or will write, the comment. */
function newerThan({ head }: Job, now: Head | undefined): string | undefined {
  if (head === undefined || now === undefined) return undefined;
  const { commits, target = now.target } = head;
  if (commits.length > 0 && now.commit !== "" && !commits.includes(now.commit)) return `commit ${now.commit}`;
  return now.target !== "" && target !== now.target ? `the target branch ${now.target}` : undefined;
}

/**
 * Replaces each post of the project with the first line of the text, and closes an issue that is not needed any more: two runs at a
 * time may each have added one, and none may stay as it was. Without such a post, it adds one. A post that the token may not change
 * is left. It repeats the whole, because a post that was added while the answer was lost is in the list of the next attempt.
 */
function keep(posts: Posts, text: string, isOpen: boolean): Promise<void> {
  const [marker = ""] = text.split("\n");
  return repeated(async () => {
    let isKept = false;
    for (const { id, body, isOfProject } of await posts.list()) {
      if ((body.split("\n")[0] ?? "").trimEnd() !== marker || !((await isOfProject?.()) ?? true)) continue;
      if (await posts.change(id, text, isOpen)) isKept = true;
    }
    if (isOpen && !isKept) await posts.add(text, /^### (.*)$/m.exec(text)?.[1] ?? "Access review");
  });
}
