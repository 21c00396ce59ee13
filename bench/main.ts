import { parseArgs } from "node:util";
import { access } from "./access";
import { cpu } from "./cpu";
import { grants } from "./grants";
import { growth } from "./growth";
import { download } from "./download";
import { emulator } from "./emulator";
import { QUICK_FOLDER, FOLDER, readResults, writeDocument, writeResults } from "./framework/documents";
import { load, machine } from "./framework/machine";
import { resultText } from "./framework/markdown";
import { shownOnly, type Bench, type Finished } from "./framework/result";
import { lookups } from "./lookups";
import { memory } from "./memory";
import { policy } from "./policy";
import { preview } from "./preview";
import { requiring } from "./require";
import { startup } from "./startup";
import { state } from "./state";
import { typecheck } from "./typecheck";
import { up } from "./up";
import { waits } from "./waits";

/**
 *   main.ts [NAME…]            measures, and writes docs/performance.md, the plots and results.json beside it
 *   main.ts --quick [NAME…]    small numbers, which show that all works; results go to .cache/bench/
 *   main.ts --documents        writes the document and the plots again, from results.json
 */
const BENCHES: readonly Bench[] = [
  startup,
  up,
  preview,
  cpu,
  memory,
  state,
  download,
  requiring,
  typecheck,
  lookups,
  growth,
  policy,
  waits,
  grants,
  emulator,
  access,
];

async function main(args: string[]): Promise<void> {
  const { values, positionals: wanted } = parseArgs({
    args,
    allowPositionals: true,
    options: { quick: { type: "boolean", default: false }, documents: { type: "boolean", default: false } },
  });
  const { quick, documents } = values;
  const names = BENCHES.map(({ name }) => name);
  const unknown = wanted.filter((each) => !names.includes(each));
  if (unknown.length > 0) throw new Error(`no bench ${unknown.join(", ")}: there is ${names.join(", ")}`);
  const folder = quick ? QUICK_FOLDER : FOLDER;
  let results = readResults(folder);
  const chosen = documents ? [] : BENCHES.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  for (const bench of chosen) {
    results = { ...results, [bench.name]: await measured(bench, quick) };
    // After each: an interrupted run keeps what it has.
    writeResults(folder, results);
    if (!quick) writeDocument(results);
  }
  if (documents) {
    writeResults(folder, results);
    writeDocument(results);
  }
}

async function measured(bench: Bench, quick: boolean): Promise<Finished> {
  const before = load();
  const began = performance.now();
  console.error(`bench: ${bench.name}…`);
  const result = { ...shownOnly(await bench.run({ quick })), machine: machine(before) };
  console.log(`\n## ${bench.name}\n\n${resultText(result)}`);
  console.error(`bench: ${bench.name} took ${((performance.now() - began) / 1000).toFixed(0)} s`);
  return result;
}

main(process.argv.slice(2)).then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
