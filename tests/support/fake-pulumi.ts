import * as fs from "node:fs";
import * as path from "node:path";

/**
 * Writes a command `pulumi` for unit tests, which have no engine.
 *
 * @param folder gets the command.
 * @param script the command as JavaScript, with its arguments in `args`.
 * @returns its path.
 */
export function fakePulumi(folder: string, script: string): string {
  const file = path.join(folder, "pulumi");
  fs.writeFileSync(file, `#!${process.execPath}\nconst args = process.argv.slice(2);\n${script}\n`, { mode: 0o755 });
  return file;
}

/**
 * Writes a command `pulumi` that prints an answer as JSON: the one of its first argument, such as `stack` or `config`. It is a
 * shell script, which starts in a tenth of the time of Node.js.
 *
 * @returns its path.
 */
export function pulumiAnswering(folder: string, answers: object): string {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const cases = Object.entries(answers).map(
    ([name, answer]) => `${name}) printf %s ${quoted(JSON.stringify(answer))} ;;\n`,
  );
  const file = path.join(folder, "pulumi");
  fs.writeFileSync(file, `#!/bin/sh\ncase "$1" in\n${cases.join("")}*) exit 1 ;;\nesac\n`, { mode: 0o755 });
  return file;
}
