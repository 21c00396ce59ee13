import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compare, type Contender } from "./framework/measure";
import { executableNotes } from "./framework/plugins";
import { rows, type Bench } from "./framework/table";
import { trees } from "./framework/trees";
import { goPeer, goPeerNotes, GO_PLAN_COMMAND } from "./peers/go-plugin";

/**
 * How long does the command take that has nothing to ask the cloud? It starts, parses a plan without grants and ends. The peer
 * parses the same plan, with Pulumi's own types, and counts its steps.
 */

const PEER = "Go program (peer)";
const STEPS = 100;
/** The executable contains this runtime. */
const BUN = join(__dirname, "../node_modules/.bin/bun");

export const command: Bench = {
  name: "command",
  async run(quick) {
    const rounds = quick ? 3 : 21;
    const folder = mkdtempSync(join(tmpdir(), "perimeter-bench-"));
    try {
      const contenders = contendersIn(folder);
      // The first start of each reads its files from the disk.
      await compare(contenders, 1);
      return {
        title: `Start of a command that parses a plan of ${STEPS} resources without grants, until its end, medians of ${rounds}`,
        of: "what",
        columns: [{ key: "ms", title: "ms (× Go)", relativeTo: PEER, digits: 1 }],
        rows: rows(await compare(contenders, rounds)),
        notes: [...goPeerNotes(), ...executableNotes()],
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function contendersIn(folder: string): Contender[] {
  const [plan, state] = [join(folder, "plan.json"), join(folder, "state.json")];
  writeFileSync(plan, JSON.stringify(planOf(STEPS)));
  writeFileSync(state, JSON.stringify({ version: 3, deployment: { resources: [] } }));
  const review = ["review", "--plan", plan, "--state", state];
  const { folder: peer } = goPeer();
  const [{ root, executable }] = trees();
  const contender = (name: string, program: string, args: readonly string[], expected: string) => ({
    name,
    run: () => ended(program, args, expected),
  });
  return [
    ...(existsSync(BUN) ? [contender("Bun alone", BUN, ["-e", "0"], "")] : []),
    ...(peer === undefined ? [] : [contender(PEER, join(peer, GO_PLAN_COMMAND), [plan], `${STEPS}`)]),
    ...(executable === undefined
      ? []
      : [contender("review, one file", join(executable, "pulumi-resource-perimeter"), review, "No access changes.")]),
    contender(
      "review, npm package",
      process.execPath,
      [join(root, "dist/cli/main.js"), ...review],
      "No access changes.",
    ),
  ];
}

/** A plan in the form of `pulumi preview --json`. */
function planOf(steps: number): object {
  const type = "gcp:storage/bucket:Bucket";
  const create = (at: number) => {
    const urn = `urn:pulumi:dev::bench::${type}::bucket-${at}`;
    const inputs = { name: `bucket-${at}`, location: "EU", labels: { team: "a" }, uniformBucketLevelAccess: true };
    return { op: "create", urn, newState: { urn, custom: true, type, inputs, outputs: inputs } };
  };
  return { config: {}, steps: Array.from({ length: steps }, (_, at) => create(at)), changeSummary: { create: steps } };
}

async function ended(program: string, args: readonly string[], expected: string): Promise<Record<string, number>> {
  const began = performance.now();
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: undefined };
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  const ms = performance.now() - began;
  if (code !== 0 || !output.startsWith(expected)) throw new Error(`${program} ended with ${String(code)}: ${output}`);
  return { ms };
}
