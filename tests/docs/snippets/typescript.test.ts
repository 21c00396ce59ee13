/**
 * The TypeScript of the documents, and programs of the package's entry points, compile against the published form of the
 * package and the SDK, in every mode of module resolution.
 */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { dependencies } from "../../../package.json";
import { ENGINE_TIMEOUT_MS, repositoryRoot } from "../../support/engine";
import { linkPackage } from "../../support/node-modules";
import { packedPackage } from "../../support/pack";
import { nodeSdk } from "../../support/plugin";
import { snippetsOf, typescriptWrittenBy, type Snippet } from "../../support/snippets";
import { typeProblems, type Problem, type TypeCheck } from "../../support/type-check";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const all = snippetsOf(repositoryRoot).snippets;
const written = all.filter(({ kind }) => kind === "shell").flatMap(typescriptWrittenBy);
const snippets = [...all.filter(({ kind }) => kind === "typescript"), ...written];
/** The context of a fragment without a program above it. */
const PRELUDE = ['import * as pulumi from "@pulumi/pulumi";', 'import * as perimeter from "pulumi-perimeter";'];

/** Other types that a program can import, and mistakes that they detect. */
const ENTRY_POINTS = `
import { startEmulator, type ConfigPatch, type FaultRule, type Seed } from "pulumi-perimeter/emulator";
import { review, type Answer, type ReviewPolicy } from "pulumi-perimeter/review";
export const start: () => Promise<{ stop(): Promise<void> }> = startEmulator;
export const exitCode = async (plan: string): Promise<0 | 2 | 3> => {
  const result: Answer = await review({ plan });
  return result.exitCode;
};
export const switches: ConfigPatch = { operationMs: 10, policyWritesPerMinute: { healthcare: 5 } };
// @ts-expect-error: there is no such switch
export const misspelled: ConfigPatch = { operationMS: 10 };
export const faults: FaultRule[] = [{ times: 2, fault: { sequence: [{ status: 503 }, "pass"] } }];
// @ts-expect-error: no status of HTTP or gRPC
export const noFault: FaultRule = { fault: { status: "BROKEN" } };
export const seed: Seed[] = [{ service: "gkehub", name: "projects/p/locations/global/scopes/s" }];
// @ts-expect-error: no such API
export const noSeed: Seed = { service: "compote", name: "projects/p/global/networks/n" };
export const policy: ReviewPolicy = { version: 1, mayGain: [{ principals: ["*"], roles: ["*"], reason: "all may" }] };
// @ts-expect-error: a rule has its reason
export const noPolicy: ReviewPolicy = { version: 1, allowLoss: [{ roles: ["*"] }] };
`;
/** Its path in a program's folder. */
const ENTRY_POINTS_FILE = "entry-points.ts";

const common = { target: "es2022", strict: true, noEmit: true, allowJs: true, types: ["node", "jest"] };
/** Programs of both module kinds, and TypeScript's oldest and newest module resolution. */
const MODES = {
  "CommonJS, node10": { type: "commonjs", finds: { module: "commonjs", moduleResolution: "node10" } },
  "ESM, node16": { type: "module", finds: { module: "node16", moduleResolution: "node16" } },
} as const;

/** `await` outside of a function: an ESM program may, a CommonJS program says that it must not be copied into it. */
const TOP_LEVEL_AWAIT = new Set([1309, 1378]);

let root: string;
let problems: Problem[][];
beforeAll(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-snippets-")));
  const packages = path.join(root, "node_modules");
  linkAll(packedPackage().nodeModules, packages);
  linkPackage(packages, "pulumi-perimeter-sdk", nodeSdk());
  // Other packages that a program may have installed.
  linkAll(path.join(repositoryRoot, "node_modules"), packages);
  problems = typeProblems(Object.values(MODES).map(({ type, finds }) => programOf(type, finds)));
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

/**
 * Checked with the package's own declarations, and those of its dependencies where they lead there, by settings that a
 * program may have: zod's, for one, would need esModuleInterop.
 */
function programOf(type: string, finds: object): TypeCheck {
  const folder = path.join(root, type);
  const write = (file: string, text: string) => fs.writeFileSync(path.join(folder, file), text);
  fs.mkdirSync(folder);
  write("package.json", JSON.stringify({ name: "snippets", type }));
  for (const snippet of snippets) write(fileOf(snippet), sourceOf(snippet));
  write(ENTRY_POINTS_FILE, ENTRY_POINTS);
  const absent = new Set(snippets.flatMap(({ needs }) => needs));
  write("absent.d.ts", [...absent].map((name) => `declare module "${name}";\n`).join(""));
  // Where such a package is installed for other tests, its declarations are not read: @pulumi/gcp has 37 MB.
  const paths = Object.fromEntries([...absent].map((name) => [name, ["./absent.d.ts"]]));
  const settings = { compilerOptions: { ...common, ...finds, paths }, include: ["*.ts"] };
  const ours = ["pulumi-perimeter", ...Object.keys(dependencies)];
  return { folder, settings, declarations: ours.map((name) => fs.realpathSync(path.join(root, "node_modules", name))) };
}

test("finds programs, including README's quick start", () => {
  expect(snippets.filter(({ fragment }) => !fragment).length).toBeGreaterThan(3);
  expect(written.map(({ page }) => page)).toContain("README.md");
});

test.each(Object.keys(MODES).map((name, index) => [name, index] as const))("%s", (name, index) => {
  const files = new Map(snippets.map((snippet) => [fileOf(snippet), snippet]));
  const found = problems[index]
    ?.filter(({ code }) => name.startsWith("ESM") || !TOP_LEVEL_AWAIT.has(code))
    .map((each) => describeProblem(each, files));
  expect(found).toEqual([]);
});

test("an ESM program can import the same names as a CommonJS program", () => {
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

/** A file name from the snippet's place, in a folder named by the mode. */
function fileOf({ page, line }: Snippet): string {
  return `${page.replace(/\W+/g, "-")}-${line}.ts`;
}

/** The snippet as a module; a fragment continues the program above it. */
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

function describeProblem({ file, line, code, text }: Problem, files: Map<string, Snippet>): string {
  const snippet = files.get(file ?? "");
  if (snippet === undefined || line === undefined) return `${file ?? "settings"}:${line ?? ""} TS${code}: ${text}`;
  const before = precedingOf(snippet).split("\n").length - 1;
  return `${snippet.page}:${snippet.line + line - before} TS${code}: ${text}`;
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
