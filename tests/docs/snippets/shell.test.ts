/** The commands of the documents: the shell can parse them, and their programs, options and files exist. */
import { execFile, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { promisify } from "node:util";
import { run as perimeter } from "../../../cli/program";
import { configurationKeys } from "../../../provider/core/config/definition";
import { packageSchema } from "../../../tools/schema";
import { engine, ENGINE_TIMEOUT_MS, repositoryRoot } from "../../support/engine";
import { commandsOf, type ShellCommand } from "../../support/shell-commands";
import { documents, placeOf, snippetsOf, type Snippet } from "../../support/snippets";

jest.setTimeout(ENGINE_TIMEOUT_MS);

/** The emulator's default port. */
const DEFAULT_PORT = "8790";
/** The proxy of Bitbucket Pipelines. */
const OTHER_PORTS = ["29418"];
/** Programs that users install from other sources. */
const OTHERS = new Set(
  "apt-get bash brew cat cd chmod cp curl cut diff dirname docker echo eval exit export false gcloud gh git go grep gunzip head id jq kill ls mkdir mv mypy node npm pip pnpm pytest python python3 rm sed set sh sha256sum shasum sleep source tail tar tee terraform test tofu touch trap true tsc unset vitest wait which winget wsl xargs yarn [ .".split(
    " ",
  ),
);
/** Options whose value is an existing file. */
const READS = /^(--seed|--faults|--policy|--plan|--state|--diff|--requirement|-r|--file)$/;
/** Options whose value is a file that the command creates. */
const WRITES = /^(--output|--export|--out|-o|--data|--adopt)$/;
/** `perimeter access --seed` writes the file that `perimeter emulator --seed` reads. */
const isWrittenSeed = (words: readonly string[], option: string | undefined) =>
  option === "--seed" && words.includes("access");

const snippets = snippetsOf(repositoryRoot).snippets.filter(({ kind }) => kind === "shell" || kind === "session");

/** Pages of all commands, which take no longer than the help of one command. */
let pulumiPages: string;
beforeAll(async () => {
  pulumiPages = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-pulumi-pages-"));
  await pulumi("gen-markdown", pulumiPages);
});
afterAll(() => fs.rmSync(pulumiPages, { recursive: true, force: true }));

test.each(snippets.map((snippet) => [placeOf(snippet), snippet] as const))("%s", async (_, snippet) => {
  expect(await problemsOf(snippet)).toEqual([]);
});

test.each(documents(repositoryRoot))("%s names this package's command, and one port of the emulator", (page) => {
  const text = fs.readFileSync(path.join(repositoryRoot, page), "utf8");
  // Outside of a project that has the package, `npx perimeter` would run an unrelated package.
  expect(text.match(/.*npx (?:--?\S+ )*perimeter\b.*/g) ?? []).toEqual([]);
  // One port everywhere, so that one document finds the emulator of another. 0 takes a free port.
  const ports = [...text.matchAll(/(?:--port |127\.0\.0\.1:|localhost:)(\d+)/g)].map(([, port]) => port);
  expect(ports.filter((port) => port !== DEFAULT_PORT && port !== "0" && !OTHER_PORTS.includes(port ?? ""))).toEqual(
    [],
  );
});

describe("a mistake is found", () => {
  test.each([
    ["pulumi upp", "pulumi has no command upp"],
    ["pulumi config sett perimeter:project p", "pulumi has no command config sett"],
    ["pulumi up --yess", "pulumi up has no option --yess"],
    ["pulumi config set perimeter:grantmode merge", "perimeter has no key grantmode"],
    ["pulumi do perimeter:fleet/v1beta:getScop", "perimeter has no perimeter:fleet/v1beta:getScop"],
    ["pulumi do perimeter:fleet/v1beta:getScope --scopeId a", "has no option --scopeId"],
    ["npx pulumi-perimeter emulator", "nothing on the page installs pulumi-perimeter for npx"],
    ["npx --no-install pulumi-perimeter emulate", "perimeter has no command emulate"],
    ["npx perimeter emulator", "npx runs perimeter of somebody else"],
    ["pulumi plugin run --kind resource perimeter -- review --stak dev", "perimeter review has no option --stak"],
    ["X=1 perimeter emulator --sed a.yaml", "perimeter emulator has no option --sed"],
    ["perimeter emulator --seed no-such.yaml", "nothing makes no-such.yaml"],
    ["true && make no-such", "there is no make no-such"],
    ["cat <<'EOF' > f.yaml\nno-such\nEOF\nno-such f.yaml", "no-such is no program that is known here"],
    ["cd examples/no-such", "nothing makes examples/no-such"],
    ["if true; then", "bash cannot read it"],
  ])("%s", async (text, problem) => {
    const place = { page: "README.md", line: 1, kind: "shell", fragment: false, needs: [] } as const;
    expect(await problemsOf({ ...place, text })).toEqual([expect.stringContaining(problem)]);
  });
});

async function problemsOf(snippet: Snippet): Promise<string[]> {
  const script = scriptOf(snippet);
  const { status } = spawnSync("bash", ["-n"], { input: script });
  if (status !== 0) return ["bash cannot read it"];
  const made = madeAbove(snippet);
  const problems: string[] = [];
  const above = fs
    .readFileSync(path.join(repositoryRoot, snippet.page), "utf8")
    .split("\n")
    .slice(0, snippet.line - 1);
  // Where the package is not installed, npx runs what anybody published under its name.
  if (
    /\bnpx (?!--no-install )\S*pulumi-perimeter /.test(script) &&
    !/^npm install\b/m.test([...above, script].join("\n"))
  )
    problems.push("nothing on the page installs pulumi-perimeter for npx");
  for (const command of commandsOf(script)) {
    const folder = path.dirname(snippet.page);
    problems.push(...(await problemsOfProgram(command, folder)), ...missingFiles(command, made, folder));
    for (const file of madeBy(command)) made.add(file);
  }
  return problems;
}

/** The commands of a session follow `$ `; the other lines are their output. */
function scriptOf({ kind, text }: Snippet): string {
  if (kind === "shell") return text;
  return [...text.matchAll(/^\$ (.*)$/gm)].map(([, command]) => `${command}\n`).join("");
}

/** @param folder of the page: the README of an example is read there. */
async function problemsOfProgram({ words: [name, ...args] }: ShellCommand, folder: string): Promise<string[]> {
  if (name === undefined || name.includes("$")) return [];
  if (name === "pulumi") return problemsOfPulumi(args);
  if (name === "npx") {
    const [command, ...rest] = args.filter((arg) => !/^(--yes|--no-install|-y)$/.test(arg));
    if (command === "pulumi-perimeter") return problemsOfPerimeter(rest);
    const [source, program, ...more] = rest;
    const named = command === "--package" && source === "pulumi-perimeter" && program === "perimeter";
    if (named) return problemsOfPerimeter(more);
    return OTHERS.has(command ?? "") ? [] : [`npx runs ${command} of somebody else`];
  }
  if (path.basename(name) === "perimeter") return problemsOfPerimeter(args);
  if (name === "make") return problemsOfMake(args);
  if (/^\.{0,2}\/|^[\w-]+\//.test(name)) {
    return exists(name) || exists(path.join(folder, name)) ? [] : [`nothing makes ${name}`];
  }
  return OTHERS.has(name) ? [] : [`${name} is no program that is known here`];
}

async function problemsOfPerimeter(args: readonly string[]): Promise<string[]> {
  const [command] = args;
  if (command === undefined || command.startsWith("-")) return [];
  let help = "";
  const write = (text: string) => (help += text);
  const code = await perimeter(["node", "perimeter", command, "--help"], { write, writeError: write });
  const known = code === 0 && help.includes(`perimeter ${command}`);
  return known ? unknownOptions(`perimeter ${command}`, args, help) : [`perimeter has no command ${command}`];
}

function unknownOptions(command: string, args: readonly string[], help: string): string[] {
  const own = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  return own
    .map((arg) => /^--[\w-]+/.exec(arg)?.[0])
    .filter((option) => option !== undefined && !new RegExp(`${option}\\b`).test(help))
    .map((option) => `${command} has no option ${option}`);
}

const helps = new Map<string, Promise<string>>();

async function problemsOfPulumi(args: readonly string[]): Promise<string[]> {
  const named = args
    .slice(0, args.findIndex((arg) => !/^[a-z-]+$/.test(arg)) >>> 0)
    .filter((arg) => !arg.startsWith("-"));
  const [first, second] = named;
  if (first === undefined) return [];
  if (first === "do") return problemsOfDo(args.slice(1));
  const help = await pulumiHelp(named.slice(0, 2));
  const isGroup = /Available Commands:|^title: "pulumi [\w-]+ [\w-]+ /m.test(help);
  const command = isGroup && second !== undefined ? `${first} ${second}` : first;
  if (!new RegExp(`^ *pulumi ${command}\\b`, "m").test(help)) return [`pulumi has no command ${command}`];
  const [, key] = /^perimeter:(\w+)/.exec(args.find((arg) => arg.startsWith("perimeter:")) ?? "") ?? [];
  if (first === "config" && key !== undefined && !configurationKeys().includes(key)) {
    return [`perimeter has no key ${key}`];
  }
  const problems = unknownOptions(`pulumi ${command}`, args, help);
  const ofPerimeter = command === "plugin run" && args.includes("perimeter") && args.includes("--");
  return ofPerimeter ? [...problems, ...(await problemsOfPerimeter(args.slice(args.indexOf("--") + 1)))] : problems;
}

/** The options of `pulumi do` that are those of the CLI; the others are derived from the schema. */
const DO_OPTIONS = ["stateless", "dry-run", "yes", "all", "count", "input-file", "help"];

function problemsOfDo([token = "", ...args]: readonly string[]): string[] {
  if (token.startsWith("$")) return [];
  const { config, functions, resources } = packageSchema();
  const { inputProperties, listInputs } = resources[token] ?? {};
  const inputs = functions[token]?.inputs ?? listInputs;
  if (inputs === undefined) return [`perimeter has no ${token}`];
  const ofInputs = Object.keys({ ...inputs.properties, ...inputProperties }).map(hyphened);
  const ofSettings = Object.keys(config.variables).map((name) => `perimeter:${hyphened(name)}`);
  const known = [...DO_OPTIONS, ...ofInputs, ...ofSettings];
  return args
    .map((arg) => /^--([\w:-]+)/.exec(arg)?.[1])
    .filter((option) => option !== undefined && !known.includes(option))
    .map((option) => `pulumi do ${token} has no option --${option}`);
}

function hyphened(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The CLI's page of a command or, for aliases and hidden commands, its help. */
function pulumiHelp(words: readonly string[]): Promise<string> {
  const page = path.join(pulumiPages, `${["pulumi", ...words].join("_")}.md`);
  if (fs.existsSync(page)) return Promise.resolve(fs.readFileSync(page, "utf8"));
  const asked = words.join(" ");
  const help = helps.get(asked) ?? pulumi(...words, "--help").catch(() => "");
  helps.set(asked, help);
  return help;
}

async function pulumi(...args: string[]): Promise<string> {
  const { bin } = engine();
  const env = { PATH: bin, HOME: repositoryRoot, PULUMI_SKIP_UPDATE_CHECK: "1" };
  return (await promisify(execFile)(path.join(bin, "pulumi"), args, { env })).stdout;
}

function problemsOfMake(args: readonly string[]): string[] {
  const makefile = fs.readFileSync(path.join(repositoryRoot, "Makefile"), "utf8");
  const targets = args.filter((arg, at) => /^[\w-]+$/.test(arg) && arg !== "-C" && args[at - 1] !== "-C");
  return targets
    .filter((name) => !new RegExp(`^${name}:`, "m").test(makefile))
    .map((name) => `there is no make ${name}`);
}

/** Files that a command reads and that neither exist in the repository nor were created above. The README of an example is read there. */
function missingFiles({ words }: ShellCommand, made: ReadonlySet<string>, folder: string): string[] {
  const [name] = words;
  const read = words.filter((word, at) => {
    if (/[$<>*]|^\/|^~|^-$|:\/\//.test(word)) return false;
    if (name === "cd") return at === 1;
    if (isWrittenSeed(words, words[at - 1])) return false;
    return READS.test(words[at - 1] ?? "") || /^(\.\/)?(examples|sdk|docs|bin|tools|tests)\//.test(word);
  });
  const isThere = (file: string) => exists(file) || (file.startsWith("../") && exists(path.join(folder, file)));
  return read
    .filter((file) => !made.has(path.normalize(file)) && !isThere(file))
    .map((file) => `nothing makes ${file}`);
}

function exists(file: string): boolean {
  return fs.existsSync(path.join(repositoryRoot, file));
}

/** Files that exist before the snippet: those that earlier commands create, and those that the page's text names. */
function madeAbove({ page, line }: Snippet): Set<string> {
  const above = snippets.filter((each) => each.page === page && each.line < line);
  const lines = fs.readFileSync(path.join(repositoryRoot, page), "utf8").split("\n").slice(0, line);
  const named = [...lines.join("\n").matchAll(/`([\w./-]+\.\w+)`/g)].map(([, file = ""]) => path.normalize(file));
  return new Set([...named, ...above.flatMap((each) => commandsOf(scriptOf(each)).flatMap(madeBy))]);
}

function madeBy({ words, writes }: ShellCommand): string[] {
  const folders = words[0] === "mkdir" ? words.slice(1) : [];
  const named = words.filter((_, at) => WRITES.test(words[at - 1] ?? "") || isWrittenSeed(words, words[at - 1]));
  return [...writes, ...named, ...folders].map((file) => path.normalize(file));
}
