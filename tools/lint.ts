import { ESLint } from "eslint";
import ts from "typescript";
import { ROOT, runTool } from "./run";

/**
 * Types (all that `tsc --noEmit` says) and style (all that `eslint .` says) in one process: rules ask for types, and so get
 * those that the compiler has found, where ESLint by itself would compile everything once more.
 */

/** A program for each, as eslint.config.mjs has them. */
const PROJECTS = ["tsconfig.json", "emulator/console/page/tsconfig.json"];

async function main(): Promise<void> {
  const programs = PROJECTS.map(programOf);
  const mistakes = ts.sortAndDeduplicateDiagnostics(programs.flatMap((each) => ts.getPreEmitDiagnostics(each)));
  const format = process.stdout.isTTY ? ts.formatDiagnosticsWithColorAndContext : ts.formatDiagnostics;
  process.stdout.write(format(mistakes, ts.createCompilerHost({})));

  const parserOptions = { project: null, programs };
  const eslint = new ESLint({
    cwd: ROOT,
    overrideConfig: { files: ["**/*.ts", "**/*.tsx"], languageOptions: { parserOptions } },
  });
  const results = await eslint.lintFiles(["."]);
  process.stdout.write(await (await eslint.loadFormatter()).format(results));
  if (mistakes.length > 0 || results.some(({ errorCount }) => errorCount > 0)) process.exitCode = 1;
}

/** @throws Error when the project cannot be read */
function programOf(project: string): ts.Program {
  const fail = ({ messageText }: ts.Diagnostic) => {
    throw new Error(ts.flattenDiagnosticMessageText(messageText, "\n"));
  };
  const file = ts.sys.resolvePath(`${ROOT}/${project}`);
  const read = ts.getParsedCommandLineOfConfigFile(file, {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail });
  if (read === undefined) throw new Error(`${project} is no project`);
  return ts.createProgram(read.fileNames, read.options, undefined, undefined, read.errors);
}

runTool("lint", main);
