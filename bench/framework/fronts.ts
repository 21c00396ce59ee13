import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ASSOCIATION } from "../../tests/support/tokens";
import { goPeer, GO_PEER_TYPE } from "../peers/go-plugin";
import { before, DECLARING_PEER, DYNAMIC, EMPTY, EXECUTABLE, GO_PEER, PLUGIN, STOCK_PEER } from "./names";
import { nodeModulesOf, trees, type Tree } from "./trees";

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
  const [current] = all as [Tree];
  const nodeModules = nodeModulesOf(current);
  const { folder } = goPeer();
  const front = (name: string, file: string, more: Partial<Front> = {}): Front => {
    const declare = "programs/declare.cjs";
    const program = { [file]: source(file), [declare]: source(declare) };
    return { name, main: file, program, nodeModules, path: [], env: {}, empty: false, ...more };
  };
  const plugin = (name: string, bin: string, type = ASSOCIATION) =>
    front(name, "programs/associations.cjs", { path: [bin], env: { BENCH_TYPE: type } });
  return [
    front(EMPTY, "programs/empty.cjs", { empty: true }),
    ...(folder === undefined ? [] : [plugin(GO_PEER, folder, GO_PEER_TYPE)]),
    ...all.flatMap((tree) => {
      const named = (name: string) => (tree.earlier ? before(name) : name);
      return [
        plugin(named(PLUGIN), tree.bin),
        ...(tree.executable === undefined ? [] : [plugin(named(EXECUTABLE), tree.executable)]),
        front(named(DYNAMIC), "programs/dynamic.cjs", { nodeModules: nodeModulesOf(tree) }),
      ];
    }),
    front(DECLARING_PEER, "peers/stock-dynamic.cjs", { env: { BENCH_PROPERTIES: JSON.stringify(propertyNames()) } }),
    front(STOCK_PEER, "peers/stock-dynamic.cjs"),
  ];
}

/** All properties of an association. */
function propertyNames(): string[] {
  const schema = JSON.parse(readFileSync(join(__dirname, "../../sdk/schema.json"), "utf8")) as Schema;
  return Object.keys(schema.resources[ASSOCIATION].properties);
}

interface Schema {
  resources: Record<typeof ASSOCIATION, { properties: object }>;
}

const source = (file: string): string => readFileSync(join(__dirname, "..", file), "utf8");
