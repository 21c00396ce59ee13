import { existsSync, realpathSync } from "node:fs";
import * as path from "node:path";
import { readPolicy, type Rules, type RulesFile } from "../access";
import type { AnswerOptions } from "./answer-options";
import { readText } from "./files";
import { exists, foldersFrom, inFolder, isOutside, namesIn, POLICY_FILES, rootAbove } from "./folders";
import { revisionOf } from "./git-revision";

/** The rules of `perimeter review` and `perimeter access`. */

/** The texts of policy files by path: of the folder, or of a git revision. */
type Texts = ReadonlyMap<string, string>;

/**
 * Reads the policy file that the options name, or all those between the root of the repository or the Pulumi project and the
 * program: all of them apply, so that a file in a subfolder cannot loosen the rules of the root.
 *
 * @param program the folder of the program, where the search begins
 * @param folder the base of relative paths
 * @throws Error for a policy file that cannot be read or has mistakes, for a folder with two policy files, and for a git revision
 *   that cannot be read
 */
export function readRules(
  options: Pick<AnswerOptions, "allowLoss" | "allowGain" | "newAccess" | "policy" | "policyFrom">,
  program = ".",
  folder = process.cwd(),
): Rules {
  const { allowLoss, allowGain, newAccess, policy, policyFrom } = options;
  const rules = { allowLoss, allowGain, noNewAccess: !newAccess };
  if (policyFrom !== undefined) return { ...rules, ...rulesOfRevision(policyFrom, { policy, program, folder }) };
  const here = path.resolve(folder, program);
  const found = policy === undefined ? textsIn(foldersFrom(rootAbove(here), here)) : namedText(policy, folder);
  return { ...rules, files: parsed(found, nameIn(folder, policy)) };
}

interface Place extends Pick<AnswerOptions, "policy"> {
  program: string;
  folder: string;
}

/** The rules of a git revision, with a warning for each file that differs from that of the folder. */
function rulesOfRevision(name: string, { policy, ...place }: Place): Omit<Rules, "policy"> {
  // Git knows the folders by their real paths.
  const folder = realpathSync(place.folder);
  const here = realpathSync(path.resolve(folder, place.program));
  const revision = revisionOf(here, name);
  const { root, title } = revision;
  const named = policy === undefined ? undefined : path.resolve(folder, policy);
  const nameOf = nameIn(folder, policy);
  // The revision has no say about a file outside of the repository, such as one that all repositories share.
  if (named !== undefined && isOutside(root, named)) return { files: parsed(namedText(named, folder), nameOf) };
  const folders = foldersFrom(root, here);
  const wanted = named === undefined ? folders.flatMap((each) => POLICY_FILES.map(inFolder(each))) : [named];
  const used = revision.textsOf(wanted);
  if (named !== undefined && !used.has(named))
    throw new Error(`${policy} is not in ${title}, which --policy-from names`);
  for (const each of folders)
    checkOnlyOne(
      `${each} in ${title}`,
      POLICY_FILES.filter((file) => used.has(inFolder(each)(file))),
    );
  return {
    files: parsed(used, nameOf, ` of ${title}`),
    revision: title,
    warnings: wanted.flatMap((file) => differenceOf(file, used.get(file), { name: nameOf(file), title })),
  };
}

/** @param there the text of the file in the revision */
function differenceOf(
  file: string,
  there: string | undefined,
  { name, title }: { name: string; title: string },
): string[] {
  if (there === undefined) return exists(file) ? [`${name} is not in ${title}: it was not used.`] : [];
  if (!exists(file)) return [`${name} is in ${title} but missing here: it was used.`];
  const isSame = existsSync(file) && sameLines(readText(file)) === sameLines(there);
  return isSame ? [] : [`${name} differs from the one in ${title}, which was used.`];
}

/** Git may write other line ends into the folder than the revision has. */
function sameLines(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** Relative, so that a result does not show paths of the machine; the file of the option as the user named it. */
function nameIn(folder: string, policy: string | undefined) {
  return (file: string): string => policy ?? path.relative(folder, file);
}

/** @param of what an error adds to the name of a file */
function parsed(texts: Texts, nameOf: (file: string) => string, of = ""): RulesFile[] {
  return [...texts].map(([each, text]) => {
    const file = nameOf(each);
    return { file, policy: readPolicy(text, `${file}${of}`) };
  });
}

function namedText(policy: string, folder: string): Texts {
  const file = path.resolve(folder, policy);
  return new Map([[file, readText(file)]]);
}

function textsIn(folders: readonly string[]): Texts {
  const files = folders.flatMap((folder) => {
    const names = namesIn(folder, POLICY_FILES);
    checkOnlyOne(folder, names);
    return names.map(inFolder(folder));
  });
  return new Map(files.map((file) => [file, readText(file)]));
}

function checkOnlyOne(folder: string, [name, another]: readonly string[]): void {
  if (another !== undefined) throw new Error(`${folder} has ${name} and ${another}: keep one of them`);
}
