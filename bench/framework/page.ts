import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The page with the results. Each bench has a part between two marks. */

const ROOT = join(__dirname, "..", "..");
export const PAGE = join(ROOT, "docs", "performance.md");

/** Writes the part of a bench anew, and formats the page for `make lint`. */
export function writePart(name: string, text: string): void {
  const page = withPart(readFileSync(PAGE, "utf8"), name, text);
  const prettier = join(ROOT, "node_modules", "prettier", "bin", "prettier.cjs");
  const options = { cwd: ROOT, input: page, encoding: "utf8" } as const;
  writeFileSync(PAGE, execFileSync(process.execPath, [prettier, "--stdin-filepath", PAGE], options));
}

/** @throws Error when the page has no marks for the bench */
export function withPart(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- bench: ${name} -->\n`, "<!-- bench end -->"];
  const [before, rest] = page.split(begin);
  const at = rest?.indexOf(end) ?? -1;
  if (rest === undefined || at < 0) throw new Error(`docs/performance.md has no part for ${name}`);
  return `${before}${begin}\n${text}\n\n${rest.slice(at)}`;
}
