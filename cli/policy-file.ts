import { lstatSync } from "node:fs";
import * as path from "node:path";
import { readPolicy, type Rules } from "../access";
import type { AnswerOptions } from "./answer-options";
import { readText } from "./files";

/** The rules of `perimeter review` and `perimeter access`. */

const POLICY_FILES = [".perimeter-review.yaml", ".perimeter-review.yml", ".perimeter-review.json"];
const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

/**
 * Reads the policy file that the options name, or the one of the repository or the Pulumi project.
 *
 * @param program the folder of the program, where the search begins
 * @param folder the base of relative paths
 * @throws Error for a policy file that cannot be read or has mistakes, and for a folder with two policy files
 */
export function readRules(
  { allowLoss, allowGain, newAccess, policy }: Pick<AnswerOptions, "allowLoss" | "allowGain" | "newAccess" | "policy">,
  program = ".",
  folder = process.cwd(),
): Rules {
  const options = { allowLoss, allowGain, noNewAccess: !newAccess };
  const file = policy ?? policyFile(path.resolve(folder, program), folder);
  if (file === undefined) return options;
  return { ...options, policy: readPolicy(readText(path.resolve(folder, file)), file), file };
}

/**
 * The policy file in a folder or above it, up to the root of the repository or, without a repository, of the Pulumi project:
 * so a review in a subfolder uses the same rules. The path is relative, so that a result does not show paths of the machine.
 */
function policyFile(program: string, folder: string): string | undefined {
  const folders = withThoseAbove(program);
  const roots = [[".git"], PROJECT_FILES].map((names) => folders.findIndex((each) => namesIn(each, names).length > 0));
  const last = roots.find((at) => at >= 0) ?? 0;
  for (const each of folders.slice(0, last + 1)) {
    const [name, another] = namesIn(each, POLICY_FILES);
    if (another !== undefined) throw new Error(`${each} has ${name} and ${another}: keep one of them`);
    if (name !== undefined) return path.relative(folder, path.join(each, name));
  }
  return undefined;
}

function withThoseAbove(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...withThoseAbove(parent)];
}

/** The names that exist in the folder, including broken links: reading them fails, so that no rules are silently skipped. */
function namesIn(folder: string, names: readonly string[]): string[] {
  return names.filter((name) => lstatSync(path.join(folder, name), { throwIfNoEntry: false }) !== undefined);
}
