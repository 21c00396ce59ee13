/** The TypeScript of the documents compiles against the package and the SDK as users get them, whichever way the program finds types. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import ts from "typescript";
import { ENGINE_TIMEOUT_MS, repositoryRoot } from "../../support/engine";
import { linkPackage } from "../../support/node-modules";
import { packedPackage } from "../../support/pack";
import { nodeSdk } from "../../support/plugin";
import { snippetsOf, type Snippet } from "../../support/snippets";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const snippets = snippetsOf(repositoryRoot).snippets.filter(({ kind }) => kind === "typescript");
/** What a fragment finds where no program stands above it. */
const PRELUDE = ['import * as pulumi from "@pulumi/pulumi";', 'import * as perimeter from "pulumi-perimeter";'];

const common: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowJs: true,
  types: ["node", "jest"],
};
/** Programs of both kinds, and TypeScript's oldest and newest way of finding types. */
const MODES = {
  "CommonJS, node10": { type: "commonjs", module: ts.ModuleKind.CommonJS, finds: ts.ModuleResolutionKind.Node10 },
  "ESM, node16": { type: "module", module: ts.ModuleKind.Node16, finds: ts.ModuleResolutionKind.Node16 },
} as const;

/** `await` outside of a function: an ESM program may, a CommonJS program says that it must not be copied into it. */
const TOP_LEVEL_AWAIT = new Set([1309, 1378]);

let root: string;
beforeAll(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-snippets-")));
  const packages = path.join(root, "node_modules");
  linkAll(packedPackage().nodeModules, packages);
  linkPackage(packages, "pulumi-perimeter-sdk", nodeSdk());
  // What else a program may have installed.
  linkAll(path.join(repositoryRoot, "node_modules"), packages);
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

test("there are programs", () => expect(snippets.filter(({ fragment }) => !fragment).length).toBeGreaterThan(3));

test.each(Object.entries(MODES))("%s", (_, { type, module, finds }) => {
  const folder = path.join(root, `${type}-${finds}`);
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name: "snippets", type }));
  const files = new Map(snippets.map((snippet) => [path.join(folder, fileOf(snippet)), snippet]));
  for (const [file, snippet] of files) fs.writeFileSync(file, sourceOf(snippet));
  const absent = new Set(snippets.flatMap(({ needs }) => needs));
  const declarations = path.join(folder, "absent.d.ts");
  fs.writeFileSync(declarations, [...absent].map((name) => `declare module "${name}";\n`).join(""));

  const options = { ...common, module, moduleResolution: finds };
  const program = ts.createProgram([...files.keys(), declarations], options);
  const found = ts
    .getPreEmitDiagnostics(program)
    .filter(({ code }) => type === "module" || !TOP_LEVEL_AWAIT.has(code))
    .map((each) => describeProblem(each, files));
  expect(found).toEqual([]);
});

test("an ESM program can import by name all that a CommonJS program can", () => {
  const { exports } = JSON.parse(fs.readFileSync(path.join(repositoryRoot, "package.json"), "utf8")) as {
    exports: Record<string, unknown>;
  };
  const entries = Object.keys(exports).filter((entry) => !entry.endsWith(".json"));
  expect(entries).toContain("./emulator");
  const script = `
    import { createRequire } from "node:module";
    const require = createRequire(import.meta.url);
    const missing = [];
    for (const entry of ${JSON.stringify(entries.map((entry) => path.posix.join("pulumi-perimeter", entry)))}) {
      const esm = await import(entry);
      missing.push(...Object.keys(require(entry)).filter((name) => !(name in esm)).map((name) => entry + " " + name));
    }
    console.log(JSON.stringify(missing));`;
  const file = path.join(root, "names.mjs");
  fs.writeFileSync(file, script);
  expect(JSON.parse(execFileSync(process.execPath, [file], { encoding: "utf8" }))).toEqual([]);
});

/** A file name that tells the place, in a folder that tells the mode. */
function fileOf({ page, line }: Snippet): string {
  return `${page.replace(/\W+/g, "-")}-${line}.ts`;
}

/** The snippet as a module; a fragment goes on from the program above it. */
function sourceOf(snippet: Snippet): string {
  return `${precedingOf(snippet)}${snippet.text}\nexport {};\n`;
}

function precedingOf(snippet: Snippet): string {
  if (!snippet.fragment) return "";
  const above = snippets.filter(({ page, line }) => page === snippet.page && line < snippet.line);
  const program = above.filter(({ fragment }) => !fragment).at(-1);
  if (program !== undefined) return program.text;
  return PRELUDE.filter((line) => !snippet.text.includes(line))
    .map((line) => `${line}\n`)
    .join("");
}

function describeProblem(problem: ts.Diagnostic, files: Map<string, Snippet>): string {
  const text = ts.flattenDiagnosticMessageText(problem.messageText, "\n");
  const { file, start } = problem;
  const snippet = file && files.get(path.normalize(file.fileName));
  if (file === undefined || start === undefined) return text;
  if (snippet === undefined) return `${file.fileName}: ${text}`;
  const before = precedingOf(snippet).split("\n").length - 1;
  const line = file.getLineAndCharacterOfPosition(start).line - before;
  return `${snippet.page}:${snippet.line + 1 + line} TS${problem.code}: ${text}`;
}

/** Links each package of one node_modules into another that does not have it yet. */
function linkAll(from: string, to: string): void {
  for (const name of packageNames(from)) {
    if (!fs.existsSync(path.join(to, name))) linkPackage(to, name, path.join(from, name));
  }
}

function packageNames(folder: string): string[] {
  return fs
    .readdirSync(folder)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) =>
      name.startsWith("@") ? fs.readdirSync(path.join(folder, name)).map((each) => `${name}/${each}`) : [name],
    );
}
