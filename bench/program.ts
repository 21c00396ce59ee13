import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { nodeSdk } from "../tests/support/plugin";
import { compare, type Contender } from "./framework/measure";
import { DYNAMIC } from "./framework/names";
import { rows, type Bench } from "./framework/table";
import { nodeModulesOf, trees } from "./framework/trees";

/** How much longer does a program take to load with our package than with `@pulumi/pulumi` alone? */

const ALONE = "@pulumi/pulumi alone";
const SDK = "with the plugin's SDK";

export const program: Bench = {
  name: "program",
  async run(quick) {
    const rounds = quick ? 2 : 15;
    const all = trees();
    const current = nodeModulesOf(all[0]);
    const contenders: Contender[] = [
      { name: ALONE, run: () => loaded(current, []) },
      ...all.map((tree) => ({
        name: tree.named(DYNAMIC),
        run: () => loaded(nodeModulesOf(tree), ["pulumi-perimeter"]),
      })),
      { name: SDK, run: () => loaded(current, [nodeSdk()]) },
    ];
    await compare(contenders, 1);
    return {
      title: `Node.js from its start to the end of \`require\` in a program, medians of ${rounds}`,
      of: "program",
      columns: [
        { key: "ms", title: "ms (× the SDK alone)", relativeTo: ALONE },
        { key: "modules", title: "modules" },
      ],
      rows: rows(await compare(contenders, rounds)),
    };
  },
};

/** Loads `@pulumi/pulumi`, then the others. */
async function loaded(nodeModules: string, names: readonly string[]): Promise<Record<string, number>> {
  const code = [
    ...["@pulumi/pulumi", ...names].map((name) => `require(${JSON.stringify(name)});`),
    "process.stdout.write(String(Object.keys(require.cache).length), () => process.exit());",
  ].join("\n");
  const began = performance.now();
  const child = spawn(process.execPath, ["-e", code], {
    cwd: dirname(nodeModules),
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const status = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  if (status !== 0) throw new Error(`require of ${names.join(", ")} ended with ${String(status)}`);
  return { ms: performance.now() - began, modules: Number(output) };
}
