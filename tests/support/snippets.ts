/**
 * The fenced snippets of the documents. The words behind a fence's three backticks say what its snippet is:
 * CONTRIBUTING.md, "Snippets in documents", has the convention. `tests/docs/snippets` checks each snippet by its kind.
 */
import * as fs from "node:fs";
import * as path from "node:path";

/** What tests do with a snippet. */
export type SnippetKind = "typescript" | "python" | "go" | "yaml" | "json" | "shell" | "session" | "output";

const KINDS: Readonly<Record<string, SnippetKind>> = {
  typescript: "typescript",
  ts: "typescript",
  javascript: "typescript",
  js: "typescript",
  python: "python",
  go: "go",
  yaml: "yaml",
  json: "json",
  sh: "shell",
  console: "session",
  text: "output",
  diff: "output",
  markdown: "output",
  // Files of other tools, which are not here to read them.
  hcl: "output",
  toml: "output",
  dockerfile: "output",
  groovy: "output",
};

/** Kinds that can be a part of something larger. */
const CAN_BE_FRAGMENT: ReadonlySet<SnippetKind> = new Set(["typescript", "python", "go", "yaml"]);

export interface Snippet {
  /** The document, relative to the repository's root. */
  page: string;
  /** Line of the opening fence, from 1. */
  line: number;
  kind: SnippetKind;
  /** Goes on from the snippet of its kind above it on its page, or is a part of something that is not shown. */
  fragment: boolean;
  /** Packages that are not installed here, so their types and names are not checked. */
  needs: readonly string[];
  text: string;
}

export interface Extracted {
  snippets: Snippet[];
  /** Fences whose words say no kind, each with its place and what is wrong. */
  problems: string[];
}

/** `README.md:12`, as editors and terminals open it. */
export function placeOf(snippet: Snippet): string {
  return `${snippet.page}:${snippet.line}`;
}

/** The documents for users: README, CONTRIBUTING, and the pages below docs/ and examples/. */
export function documents(root: string): string[] {
  const below = (folder: string) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md") && !file.split(path.sep).includes("node_modules"))
      .map((file) => path.posix.join(folder, file.split(path.sep).join("/")));
  return ["README.md", "CONTRIBUTING.md", ...below("docs"), ...below("examples")].sort();
}

/** Files of TypeScript that a shell's snippet writes, as programs of its page. */
export function typescriptWrittenBy({ page, line, text }: Snippet): Snippet[] {
  return [...text.matchAll(/^cat > \S+[.]ts <<'EOF'\n(.*?)^EOF$/gms)].map(({ 1: program = "", index }) => {
    const opening = line + text.slice(0, index).split("\n").length;
    return { page, line: opening, kind: "typescript", fragment: false, needs: [], text: program };
  });
}

/** The snippets of all documents, in the order of the pages. */
export function snippetsOf(root: string): Extracted {
  const pages = documents(root).map((page) => extract(page, fs.readFileSync(path.join(root, page), "utf8")));
  return {
    snippets: pages.flatMap(({ snippets }) => snippets),
    problems: pages.flatMap(({ problems }) => problems),
  };
}

/** An opening fence: its indentation, its backticks or tildes, and its words (CommonMark 0.31, section 4.5). */
const OPENING = /^(\s*)(`{3,}|~{3,})\s*([^`]*)$/;

/** The snippets of one page. A fence that is not closed runs to the end of the page. */
export function extract(page: string, markdown: string): Extracted {
  const lines = markdown.split("\n");
  const found: Extracted = { snippets: [], problems: [] };
  for (let at = 0; at < lines.length; at++) {
    const [, indent = "", fence, words = ""] = OPENING.exec(lines[at] ?? "") ?? [];
    if (fence === undefined) continue;
    const closing = new RegExp(`^\\s*${fence[0]}{${fence.length},}\\s*$`);
    const after = lines.slice(at + 1);
    const length = after.findIndex((line) => closing.test(line));
    const body = length < 0 ? after : after.slice(0, length);
    const text = body.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()) + "\n");
    const said = classify(words.trim());
    const place = { page, line: at + 1 };
    if (typeof said === "string") found.problems.push(`${page}:${place.line} ${said}`);
    else found.snippets.push({ ...place, ...said, text: text.join("") });
    at += body.length + 1;
  }
  return found;
}

function classify(words: string): Pick<Snippet, "kind" | "fragment" | "needs"> | string {
  const [language = "", ...rest] = words.split(/\s+/);
  const kind = KINDS[language];
  if (kind === undefined) return `does not say what it is: "${language}" is none of ${Object.keys(KINDS).join(", ")}`;
  const needs = rest.flatMap((word) => (word.startsWith("needs=") ? word.slice("needs=".length).split(",") : []));
  const fragment = rest.includes("fragment");
  if (fragment && !CAN_BE_FRAGMENT.has(kind)) return `is ${language}, of which there are no fragments`;
  const unknown = rest.find((word) => word !== "fragment" && !word.startsWith("needs="));
  if (unknown !== undefined) return `has the word "${unknown}", which means nothing here`;
  return { kind, fragment, needs };
}
