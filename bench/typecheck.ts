import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compare, type Contender } from "./framework/measure";
import { before, DYNAMIC } from "./framework/names";
import { rows, type Bench } from "./framework/result";
import { nodeModulesOf, trees, type Tree } from "./framework/trees";

/** How much longer does it take to check the types of a program that uses our package? `pulumi up` does it each time. */

const ALONE = "@pulumi/pulumi alone";

const PLAIN = `import * as pulumi from "@pulumi/pulumi";
const config = new pulumi.Config();
export const project: string = config.require("project");
`;
const USING = `import * as pulumi from "@pulumi/pulumi";
import * as perimeter from "pulumi-perimeter";
const config = new pulumi.Config();
export const project: string = config.require("project");
const made = new perimeter.networksecurity.v1beta1.FirewallEndpointAssociation("a", {
    firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
    network: \`projects/\${project}/global/networks/n\`,
    location: "us-central1-a",
});
export const state: pulumi.Output<string> = made.state;
`;
/** Does the same as Pulumi's language host: compiles a program with ts-node and checks its types. Does not run the program. */
const CHECK = `const { readFileSync } = require("node:fs");
const compilerOptions = { target: "es2020", module: "commonjs", moduleResolution: "node", strict: true };
const service = require("ts-node").create({ cwd: process.cwd(), skipProject: true, transpileOnly: false, compilerOptions });
service.compile(readFileSync("index.ts", "utf8"), process.cwd() + "/index.ts");
`;

export const typecheck: Bench = {
  name: "typecheck",
  async run({ quick }) {
    const rounds = quick ? 1 : 9;
    const all = trees();
    const folders: string[] = [];
    const contender = (name: string, tree: Tree, program: string): Contender => {
      const folder = programFolder(nodeModulesOf(tree), program);
      folders.push(folder);
      return { name, run: () => checked(folder) };
    };
    try {
      const contenders = [
        contender(ALONE, all[0] as Tree, PLAIN),
        ...all.map((tree) => contender(tree.earlier ? before(DYNAMIC) : DYNAMIC, tree, USING)),
      ];
      await refusesWrong(contender("wrong", all[0] as Tree, USING.replace("Output<string>", "Output<number>")));
      const measured = await compare(contenders, rounds);
      return {
        title: `ts-node checks the types of a program, seconds, medians of ${rounds}`,
        tables: [
          {
            of: "program",
            columns: [
              { key: "seconds", title: "s", digits: 2 },
              { key: "seconds", title: `× ${ALONE}`, digits: 2, relativeTo: ALONE },
            ],
            rows: rows(measured, { [DYNAMIC]: "1.10" }),
          },
        ],
        plots: [],
        notes: [],
      };
    } finally {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Makes sure that the check is real: a check that accepts everything would be fast. */
async function refusesWrong({ run }: Contender): Promise<void> {
  const refused = await run().then(
    () => false,
    () => true,
  );
  if (!refused) throw new Error("a program with a wrong type passed the check");
}

function programFolder(nodeModules: string, program: string): string {
  const folder = mkdtempSync(join(tmpdir(), "perimeter-bench-"));
  symlinkSync(nodeModules, join(folder, "node_modules"), "junction");
  writeFileSync(join(folder, "index.ts"), program);
  return folder;
}

async function checked(folder: string): Promise<Record<string, number>> {
  const child = spawn(process.execPath, ["-e", CHECK], {
    cwd: folder,
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const status = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  if (status !== 0) throw new Error(`the program does not compile:\n${errors}`);
  return {};
}
