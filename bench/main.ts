import { parseArgs } from "node:util";
import { command } from "./command";
import { download } from "./download";
import { grants } from "./grants";
import { describeMachine, load } from "./framework/machine";
import { writePart } from "./framework/page";
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
    // After each: an interrupted run keeps what it has.
    if (!values.quick) writePart(bench.name, text);
  }
}

main(process.argv.slice(2)).then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
