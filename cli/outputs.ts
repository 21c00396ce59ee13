import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { InvalidArgumentError } from "commander";
import { checkReplaceable, removeFile } from "./files";
import { POLICY_FILES } from "./folders";

/** The forms of a result, and where each one is written. */

/** The forms, with the endings of their files. */
const ENDINGS = {
  terminal: [],
  markdown: [".md"],
  json: [".json"],
  html: [".html"],
  sarif: [".sarif", ".sarif.json"],
  junit: [".xml"],
  github: [],
  codequality: [],
} as const;

export type Format = keyof typeof ENDINGS;

export const FORMATS = Object.keys(ENDINGS) as Format[];

/** An output of a result. */
export interface Output {
  /** Path of a file; `-` is standard output. */
  path: string;
  /** The form that the option names with the path: `sarif=review.sarif`. */
  format?: Format;
}

/** The path that stands for standard output. */
const STANDARD_OUTPUT = "-";

/** Options of where a result is written. */
interface OutputOptions {
  format?: Format;
  output?: readonly Output[];
}

/**
 * Reads a value of `--output`: `review.sarif` or `sarif=review.sarif`.
 *
 * @throws InvalidArgumentError, which commander reports with the option's name
 */
export function parseOutput(value: string, earlier: readonly Output[] = []): Output[] {
  const [, form, rest] = /^([a-z]+)=(.*)$/is.exec(value) ?? [];
  if (form === undefined) return [...earlier, { path: namedPath(value) }];
  const format = FORMATS.find((each) => each === form);
  if (format === undefined) {
    throw new InvalidArgumentError(
      `"${form}" is not a form: ${FORMATS.join(", ")}. For a file with this name, write ./${value}`,
    );
  }
  return [...earlier, { path: namedPath(rest ?? ""), format }];
}

function namedPath(path: string): string {
  if (path !== "") return path;
  throw new InvalidArgumentError("It must name a file.");
}

/** Where a result goes, and in which form: by default as text to standard output. */
export function outputsOf({ format, output }: OutputOptions): Required<Output>[] {
  if (output === undefined) return [{ path: STANDARD_OUTPUT, format: format ?? "terminal" }];
  return output.map((each) => ({ path: each.path, format: each.format ?? format ?? formatOf(each.path) }));
}

export function isStandardOutput({ path }: Output): boolean {
  return path === STANDARD_OUTPUT;
}

/** The form of a file by its ending; the longest ending counts. */
function formatOf(path: string): Format {
  const endings = FORMATS.flatMap((format) => ENDINGS[format].map((ending) => ({ format, ending })));
  const found = endings
    .filter(({ ending }) => path.toLowerCase().endsWith(ending))
    .toSorted((a, b) => b.ending.length - a.ending.length);
  return found[0]?.format ?? "terminal";
}

/** What a command reads, and writes beside its outputs: paths by the options that name them. */
interface OtherFiles {
  read: Readonly<Record<string, string | undefined>>;
  written?: Readonly<Record<string, string | undefined>>;
}

/**
 * Removes the files that a command writes, and checks that it can write them. It comes before anything that can fail: a file of
 * an earlier run or of the repository must not be taken for the answer of this run.
 *
 * @throws Error for a file that the command also reads, for one that cannot be written, and for one that two options name
 */
export function prepareOutputs(options: OutputOptions, { read, written = {} }: OtherFiles): void {
  const named = [
    ...outputsOf(options).map((each) => ({ option: "--output", path: each.path, isFile: !isStandardOutput(each) })),
    ...Object.entries(written).flatMap(([option, path]) => (path === undefined ? [] : { option, path, isFile: true })),
  ];
  const problems = named.flatMap(({ option, path, isFile }) => {
    try {
      if (isFile) removeUnread(option, path, read);
      return [];
    } catch (error) {
      return [error];
    }
  });
  for (const problem of problems) throw problem;
  const seen = new Map<string, string>();
  for (const { option, path, isFile } of named) {
    if (isFile) checkReplaceable(path);
    const key = isFile ? join(realpathSync(dirname(path)), basename(path)) : STANDARD_OUTPUT;
    const earlier = seen.get(key);
    if (earlier !== undefined) {
      const what = isFile ? path : "standard output (-)";
      throw new Error(
        `${earlier === option ? `${option} names ${what} twice` : `${earlier} and ${option} name ${what}`}: name another file`,
      );
    }
    seen.set(key, option);
  }
}

function removeUnread(option: string, path: string, read: OtherFiles["read"]): void {
  if (POLICY_FILES.includes(basename(path)))
    throw new Error(`${option} names ${path}, which would be a policy file: name another file`);
  for (const [other, input] of Object.entries(read)) {
    if (input !== undefined && isSameFile(path, input))
      throw new Error(`${other} reads ${path}, which ${option} would replace: name another file`);
  }
  removeFile(path);
}

/** Whether two paths lead to one file, also by links and by the other case of a letter. */
function isSameFile(path: string, other: string): boolean {
  const [one, two] = [path, other].map((each) => {
    try {
      return statSync(each, { bigint: true, throwIfNoEntry: false });
    } catch {
      return undefined;
    }
  });
  return one !== undefined && two !== undefined && one.dev === two.dev && one.ino === two.ino;
}
