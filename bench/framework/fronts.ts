import { readFileSync } from "node:fs";
import { join } from "node:path";
import { resources } from "../../sdk/schema.json";
import { ASSOCIATION } from "../../tests/support/tokens";
import { DECLARING_PEER, DYNAMIC, EMPTY, STOCK_PEER } from "./names";
import { plugins } from "./plugins";
import { nodeModulesOf, trees } from "./trees";

/** One way to declare the same associations in a stack. */
export interface Front {
  name: string;
  /** The file that the engine runs. It must not import another file, which would appear in each resource's stack trace. */
  main: string;
  /** The files of the program. */
  program: Record<string, string>;
  nodeModules: string;
  /** Folders with plugins, for PATH. */
  path: string[];
  env: Record<string, string>;
  /** Whether the program declares associations. */
  empty: boolean;
}

/** All fronts that are available; the empty stack, which measures the engine alone, comes first. */
export function fronts(): Front[] {
  const all = trees();
  const nodeModules = nodeModulesOf(all[0]);
  const front = (name: string, main: string, more: Partial<Front> = {}): Front => {
    const files = [main, "programs/declare.cjs"];
    const program = Object.fromEntries(files.map((file) => [file, readFileSync(join(__dirname, "..", file), "utf8")]));
    return { name, main, program, nodeModules, path: [], env: {}, empty: false, ...more };
  };
  const properties = JSON.stringify(Object.keys(resources[ASSOCIATION].properties));
  return [
    front(EMPTY, "programs/empty.cjs", { empty: true }),
    ...plugins().map(({ name, folder, type }) =>
      front(name, "programs/associations.cjs", { path: [folder], env: { BENCH_TYPE: type } }),
    ),
    ...all.map((tree) => front(tree.named(DYNAMIC), "programs/dynamic.cjs", { nodeModules: nodeModulesOf(tree) })),
    front(DECLARING_PEER, "peers/stock-dynamic.cjs", { env: { BENCH_PROPERTIES: properties } }),
    front(STOCK_PEER, "peers/stock-dynamic.cjs"),
  ];
}
