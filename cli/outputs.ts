import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { InvalidArgumentError } from "commander";
import { checkReplaceable } from "./files";

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

/**
 * Checks all outputs of a command before it does anything.
 *
 * @param others other files that the command writes, by their options
 * @throws Error for a file that cannot be written, and for a file that two outputs name
 */
export function checkOutputs(options: OutputOptions, others: Readonly<Record<string, string | undefined>> = {}): void {
  const outputs = outputsOf(options);
  const named = [
    ...outputs.map((each) => ({ option: "--output", path: each.path, isFile: !isStandardOutput(each) })),
    ...Object.entries(others).flatMap(([option, path]) => (path === undefined ? [] : { option, path, isFile: true })),
  ];
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
