import * as path from "node:path";
import { projectFolderIn, type Answer, type StackAnswer } from "../../access";
import { projectAbove } from "../../provider/runtime/pulumi-project";
import { stackNamed } from "../folders";

/** What a job asked for, and whether an answer is about that. */

export interface Question {
  command: "review" | "access";
  stacks: readonly string[];
  /** The arguments of `pulumi preview`. */
  pulumiArguments: readonly string[];
}

/** The names of a stack, as far as they are known. */
type Names = Pick<StackAnswer, "project" | "stack">;

/** The names of the stacks that the job asked for, with the names of their projects as Pulumi reads them. */
export function askedStacks({ stacks, pulumiArguments }: Question): Promise<Names[]> {
  return Promise.all(
    stacks.map(async (each) => {
      const { stack: named, cwd = projectFolderIn(pulumiArguments) ?? "." } = stackNamed(each);
      const [stack = "", ofName] = named.split("/").toReversed();
      return { stack, project: (await projectAbove(path.resolve(cwd)))?.name ?? ofName };
    }),
  );
}

/**
 * Why an answer does not belong to the question: a file about another stack may be in its place. Undefined for one that does. What
 * has no name, such as a plan without resources, may belong to each question.
 */
export async function otherQuestion(answer: Answer, question: Question): Promise<string | undefined> {
  const command = answer.operation === "access" ? "access" : "review";
  if (command !== question.command) return `it is of the command ${command}, and not of ${question.command}`;
  const asked = await askedStacks(question);
  if (asked.length === 0) return undefined;
  const isAmong = (all: readonly Names[]) => (each: Names) => all.some((other) => isSame(each, other));
  if (answer.stacks.every(isAmong(asked)) && asked.every(isAmong(answer.stacks))) return undefined;
  return `it is about ${labelsOf(answer.stacks)}, and not about ${labelsOf(asked)}`;
}

/** The names of stacks, for people. */
export function labelsOf(stacks: readonly Names[]): string {
  return stacks.map(({ project, stack }) => [project, stack].filter(Boolean).join("/")).join(", ");
}

function isSame(one: Names, other: Names): boolean {
  const agree = (name?: string, otherName?: string) =>
    name === undefined || otherName === undefined || name === otherName;
  return agree(one.stack, other.stack) && agree(one.project, other.project);
}
