import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { partText } from "./markdown";
import type { Finished } from "./result";
import { summaryText } from "./summary";
import { svg } from "./svg";

/** Writes the results of benches: results.json, the plots next to it, and the parts of the document between marks. */

const ROOT = join(__dirname, "..", "..");
export const DOCUMENT = join(ROOT, "docs", "performance.md");
export const FOLDER = join(ROOT, "docs", "performance");
/** The folder for results of a quick run: its numbers are too small for the documents. */
export const QUICK_FOLDER = join(ROOT, ".cache", "bench");
const NOT_MEASURED = "_Not measured yet: `make bench` fills this in._";

export type Results = Record<string, Finished>;

export function readResults(folder = FOLDER): Results {
  const file = join(folder, "results.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Results) : {};
}

/** Keeps results of benches that did not run this time. Removes plots without a result. */
export function writeResults(folder: string, results: Results): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "results.json"), `${JSON.stringify(results, null, 2)}\n`);
  for (const old of readdirSync(folder)) if (old.endsWith(".svg")) rmSync(join(folder, old));
  for (const plot of Object.values(results).flatMap((result) => result.plots)) {
    writeFileSync(join(folder, `${plot.name}.svg`), svg(plot));
  }
}

export function writeDocument(results: Results): void {
  writeFileSync(DOCUMENT, filledIn(readFileSync(DOCUMENT, "utf8"), results));
}

/** The document with the parts between `<!-- bench: NAME -->` and `<!-- bench end -->` written anew. */
export function filledIn(document: string, results: Results): string {
  const named = new Set<string>();
  const filled = document.replace(
    /(<!-- bench: ([\w-]+) -->\n)[\s\S]*?(<!-- bench end -->)/g,
    (_, begin: string, name: string, end: string) => {
      named.add(name);
      return `${begin}\n${part(name, results)}\n\n${end}`;
    },
  );
  const homeless = Object.keys(results).filter((name) => !named.has(name));
  if (homeless.length > 0) throw new Error(`docs/performance.md has no mark for ${homeless.join(", ")}`);
  // Formatted for `make lint`.
  const prettier = join(ROOT, "node_modules", "prettier", "bin", "prettier.cjs");
  return execFileSync(process.execPath, [prettier, "--stdin-filepath", DOCUMENT], {
    cwd: ROOT,
    input: filled,
    encoding: "utf8",
  });
}

function part(name: string, results: Results): string {
  if (name === "summary") return summaryText(results) ?? NOT_MEASURED;
  const result = results[name];
  return result ? partText(result, "performance") : NOT_MEASURED;
}
