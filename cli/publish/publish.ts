import { appendFileSync, existsSync } from "node:fs";
import { COMMAND } from "../../provider/command";
import { readAnyAnswer } from "../answer";
import type { Terminal } from "../terminal";
import { azure } from "./azure";
import { bitbucket } from "./bitbucket";
import { gitHub } from "./github";
import { gitLab } from "./gitlab";
import type { Environment, Head, Job, Platform, Posts } from "./platform";
import { textOf, type Question } from "./text";

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
 * @returns 0
 * @throws Error outside of a job, and for an answer of the platform that is no success
 */
export async function runPublish(
  { answer, stack, of, as }: PublishOptions,
  pulumiArguments: readonly string[],
  { environment = process.env, write }: Terminal,
): Promise<number> {
  const [, open] = Object.entries(PLATFORMS).find(([variable]) => environment[variable]) ?? [];
  if (open === undefined)
    throw new Error(`\`${COMMAND} publish\` runs in a job of GitHub, GitLab, Azure Pipelines or Bitbucket`);
  const platform = open(environment);
  const { job, comments, issues, now, report, summary } = platform;
  const result = answer !== undefined && existsSync(answer) ? readAnyAnswer(answer) : undefined;
  if (report) {
    await report(result, stack.join(", "));
    return 0;
  }
  const text = await textOf(result, { command: of, stacks: stack, pulumiArguments }, job);
  if (result === undefined && summary !== undefined) appendFileSync(summary, text);
  if (as === "issue") {
    if (issues === undefined) throw new Error("This platform has no issues: use --as comment");
    await keep(issues, text, result === undefined || result.exitCode !== 0);
    return 0;
  }
  if (comments === undefined) {
    write("There is no pull request to comment on.\n");
    return 0;
  }
  const newer = newerThan(job, await now?.());
  if (newer !== undefined) {
    write(`The comment is left to the run of ${newer}.\n`);
    return 0;
  }
  await keep(comments, text, true);
  return 0;
}

/** What the pull request is about now, if that is not what this job checked: its own run has written, or will write, the comment. */
function newerThan({ head }: Job, now: Head | undefined): string | undefined {
  if (head === undefined || now === undefined) return undefined;
  const { commits, target = now.target } = head;
  if (commits.length > 0 && now.commit !== "" && !commits.includes(now.commit)) return `commit ${now.commit}`;
  return now.target !== "" && target !== now.target ? `the target branch ${now.target}` : undefined;
}

/**
 * Replaces the post with the first line of the text, whoever wrote it, and closes an issue that is not needed any more. Without
 * such a post, it adds one. A post of somebody else that the token may not change is left.
 */
async function keep(posts: Posts, text: string, isOpen: boolean): Promise<void> {
  const [marker = ""] = text.split("\n");
  for (const { id, body } of await posts.list()) {
    const isOwn = (body.split("\n")[0] ?? "").trimEnd() === marker;
    if (isOwn && (await posts.change(id, text, isOpen))) return;
  }
  if (isOpen) await posts.add(text, /^### (.*)$/m.exec(text)?.[1] ?? "Access review");
}
