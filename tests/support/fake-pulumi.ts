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

/** A command `pulumi` that prints these answers as JSON, each by the first argument: `stack`, `config`. */
export function pulumiAnswering(folder: string, answers: object): string {
  return fakePulumi(folder, `process.stdout.write(JSON.stringify(${JSON.stringify(answers)}[args[0]]));`);
}
