import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { withMarked } from "../tools/generate/markdown";
import { command } from "./command";
import { download } from "./download";
import { grants } from "./grants";
import { describeMachine, load } from "./framework/machine";
import { textOf, type Bench } from "./framework/table";
import { kinds } from "./kinds";
import { program } from "./program";
import { review } from "./review";
import { stack } from "./stack";
import { startup } from "./startup";

/**
 *   main.ts [NAME…]            measures, and writes the results to docs/performance.md
 *   main.ts --quick [NAME…]    small numbers, which show that all works; prints the results only
 */
const BENCHES: readonly Bench[] = [startup, command, stack, program, download, grants, kinds, review];

/** The page with the results. Each bench has a part between two marks. */
const PAGE = join(__dirname, "..", "docs", "performance.md");

async function main(args: string[]): Promise<void> {
  const options = { quick: { type: "boolean", default: false } } as const;
  const { values, positionals: wanted } = parseArgs({ args, allowPositionals: true, options });
  const names = BENCHES.map(({ name }) => name);
  const unknown = wanted.filter((each) => !names.includes(each));
  if (unknown.length > 0) throw new Error(`no bench ${unknown.join(", ")}: there is ${names.join(", ")}`);
  for (const bench of BENCHES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const before = load();
    const began = performance.now();
    console.error(`bench: ${bench.name}…`);
    const text = `${textOf(await bench.run(values.quick))}\n\n_${describeMachine(before)}_`;
    console.log(`\n## ${bench.name}\n\n${text}`);
    console.error(`bench: ${bench.name} took ${((performance.now() - began) / 1000).toFixed(0)} s`);
    if (values.quick) continue;
    // After each: an interrupted run keeps what it has.
    writeFileSync(PAGE, withMarked(readFileSync(PAGE, "utf8"), bench.name, text, "make bench"));
  }
}

main(process.argv.slice(2)).then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
