import { ESLint } from "eslint";
import ts from "typescript";
import { ROOT, runTool } from "./run";

/**
 * Checks types (like `tsc --noEmit`) and style (like `eslint .`) in one process, so that typed ESLint rules reuse the
 * compiler's types. ESLint alone would compile everything again.
 */

/** One compiler program for each project of eslint.config.mjs. */
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
  if (read === undefined) throw new Error(`${project} is not a project`);
  return ts.createProgram(read.fileNames, read.options, undefined, undefined, read.errors);
}

runTool("lint", main);
