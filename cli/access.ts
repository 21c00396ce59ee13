import { stringify } from "yaml";
import { maskedCopy, readAccess, readStackAccess, type Adoption, type Answer, type StackSeed } from "../access";
import { counted } from "../access/result/visible";
import { COMMAND } from "../provider/command";
import { answer, maskOf, readAnswer, withMaskedMessages } from "./answer";
import type { AnswerOptions } from "./answer-options";
import { writeAtomically } from "./files";
import { projectFile } from "./folders";
import { prepareOutputs } from "./outputs";
import { readRules } from "./policy-file";
import type { Terminal } from "./terminal";

/** Options of `perimeter access`, with commander's names. */
export interface AccessCommandOptions extends AnswerOptions {
  stack?: string;
  /** Path of a file. */
  diff?: string;
  /** Path of a file. */
  expect?: string;
  anyEndpoint?: boolean;
  /** Path of a file. */
  adopt?: string;
  adoptAs?: "gcp" | "perimeter";
  /** Path of a file. */
  seed?: string;
  only: string[];
  associations: string[];
  /** A period. */
  expiresWithin?: string;
}

/**
 * Prints who has access now.
 *
 * @param names of resources
 * @returns the exit code of the gate: 0, 2 or 3
 * @throws Error for a name that does not name a resource with a policy, and for files that cannot be read or written
 */
export function runAccess(
  names: readonly string[],
  options: AccessCommandOptions,
  terminal: Terminal,
): Promise<number> {
  return withMaskedMessages(options, terminal, (masked) => shown(names, options, masked));
}

async function shown(names: readonly string[], options: AccessCommandOptions, terminal: Terminal): Promise<number> {
  const { stack, diff, expect, adopt, adoptAs, seed: seedFile, only, associations } = options;
  const { anyEndpoint, inherited, expiresWithin } = options;
  const { environment = process.env } = terminal;
  prepareOutputs(options, {
    read: { "--diff": diff, "--expect": expect, "--policy": options.policy },
    written: { "--adopt": adopt, "--seed": seedFile },
  });
  if (expect !== undefined && (stack === undefined || diff !== undefined)) {
    throw new Error("--expect needs --stack, and excludes --diff: it compares the stack with a review of its update");
  }
  if (anyEndpoint && diff === undefined && expect === undefined) {
    throw new Error("--any-endpoint needs --diff or --expect: it changes how two answers are compared");
  }
  if (adopt !== undefined && stack === undefined) throw new Error("--adopt needs --stack");
  if (adopt !== undefined && options.maskPrincipals) {
    throw new Error("--adopt excludes --mask-principals: an import needs the real principals");
  }
  const ofAdopt = { "--only": only, "--associations": associations, "--adopt-as": [adoptAs ?? []].flat() };
  for (const [option, values] of Object.entries(ofAdopt)) {
    if (values.length > 0 && adopt === undefined) throw new Error(`${option} needs --adopt`);
  }
  const rules = readRules(options);
  const earlier = diff === undefined ? undefined : readAnswer(diff);
  const expected = expect === undefined ? undefined : readAnswer(expect);
  let result: Answer;
  let adoption: Adoption | undefined;
  let seed: StackSeed | undefined;
  const common = { earlier, anyEndpoint, rules, inherited, expiresWithin, environment, seed: seedFile !== undefined };
  if (stack !== undefined) {
    ({ result, adoption, seed } = await readStackAccess({
      ...common,
      stack,
      resources: names,
      expected,
      only,
      associations,
      adoptAs,
    }));
  } else if (names.length > 0 || earlier) {
    ({ result, seed } = await readAccess({ ...common, resources: names }));
  } else {
    throw new Error("Name a RESOURCE, a stack (--stack dev), or a file with an earlier result (--diff FILE)");
  }
  if (adopt !== undefined && stack !== undefined && adoption) writeAdoption(adopt, stack, adoption, terminal);
  if (seedFile !== undefined && seed) writeSeed(seedFile, maskedSeed(seed, options), terminal);
  answer(result, options, terminal, projectFile());
  return result.exitCode;
}

/** Writes the import file, and says what is not in it. Without a resource for it, no file is written. */
function writeAdoption(path: string, stack: string, { file, leftOut }: Adoption, terminal: Terminal): void {
  for (const line of leftOut) terminal.writeError(`warning: ${line}\n`);
  const count = file.resources.length;
  if (count === 0) {
    terminal.writeError(`${path} is not written: there is nothing to adopt\n`);
    return;
  }
  writeAtomically([{ path, text: `${JSON.stringify(file, null, 2)}\n` }]);
  terminal.writeError(
    `${path} has ${counted(count, "resource")} to adopt: pulumi import --stack ${stack} --file ${path}\n`,
  );
}

function maskedSeed(seed: StackSeed, options: AccessCommandOptions): StackSeed {
  const mask = maskOf(options);
  return mask === undefined ? seed : { ...seed, resources: maskedCopy(seed.resources, mask) };
}

/** Only the user may read the file, because it has what the stack keeps secret, such as principals. */
function writeSeed(path: string, { resources, unread }: StackSeed, terminal: Terminal): void {
  for (const line of unread) terminal.writeError(`warning: ${line}\n`);
  const text = path.toLowerCase().endsWith(".json")
    ? `${JSON.stringify(resources, null, 2)}\n`
    : stringify(resources, { lineWidth: 0, aliasDuplicateObjects: false });
  writeAtomically([{ path, text }], 0o600);
  terminal.writeError(`${path} has ${counted(resources.length, "resource")}: ${COMMAND} emulator --seed ${path}\n`);
}
