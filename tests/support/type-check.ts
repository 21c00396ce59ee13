/**
 * What TypeScript says of programs, in a process of its own: in jest's, whose globals are slower, it takes twice the time.
 * Run as a program, it takes the checks as its argument and prints the problems of each.
 */
import * as path from "node:path";
import ts from "typescript";
import { run } from "../../tools/run";

export interface TypeCheck {
  /** Where the settings stand: what they name is relative to it. */
  folder: string;
  /** What a tsconfig.json has. */
  settings: { extends?: string; compilerOptions: object; include: string[] };
  /** Folders whose declarations are checked too. Others are taken as they are, as `skipLibCheck` has it. */
  declarations?: string[];
  /** Files that declarations can be written of; by paths relative to the folder. */
  emitted?: string[];
}

export interface Problem {
  /** Relative to the folder. */
  file?: string;
  /** From 1. */
  line?: number;
  code: number;
  text: string;
}

/** The problems of each check. */
export function typeProblems(checks: readonly TypeCheck[]): Problem[][] {
  const args = ["-r", "./tools/register.cjs", __filename, JSON.stringify(checks)];
  return JSON.parse(run(process.execPath, args)) as Problem[][];
}

function check({ folder, settings, declarations = [], emitted = [] }: TypeCheck): Problem[] {
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(settings, ts.sys, folder);
  const program = ts.createProgram(fileNames, { ...options, skipLibCheck: false });
  const files = program
    .getSourceFiles()
    .filter(({ fileName, isDeclarationFile }) =>
      isDeclarationFile
        ? declarations.some((each) => fileName.startsWith(`${each}/`))
        : !fileName.includes("/node_modules/"),
    );
  const found = [
    ...errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...files.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
    ...emitted.flatMap((file) => program.getDeclarationDiagnostics(program.getSourceFile(path.join(folder, file)))),
  ];
  return found.map(({ file, start, code, messageText }) => ({
    file: file && path.relative(folder, file.fileName),
    line: file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : undefined,
    code,
    text: ts.flattenDiagnosticMessageText(messageText, "\n"),
  }));
}

if (require.main === module) {
  const checks = JSON.parse(process.argv[2] ?? "[]") as TypeCheck[];
  process.stdout.write(JSON.stringify(checks.map(check)));
}
