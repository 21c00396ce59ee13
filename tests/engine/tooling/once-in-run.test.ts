/** Without a registry, each attempt of a download takes more than a minute: a run tries each once. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { onceInRun } from "../../support/once-in-run";

let folder: string;
const before = process.env.PERIMETER_CACHE;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-once-"));
  process.env.PERIMETER_CACHE = path.join(folder, "cache");
});
afterEach(() => {
  if (before === undefined) delete process.env.PERIMETER_CACHE;
  else process.env.PERIMETER_CACHE = before;
  fs.rmSync(folder, { recursive: true });
});

test.each([
  ["a failure", "no network"],
  ["a success", undefined],
])("%s is remembered in its run only", (_what, outcome) => {
  const work = jest.fn(() => outcome);
  const runs = ["run 1", "run 1", "run 2"].map((run) => onceInRun("npm ci", work, run));
  expect(runs).toEqual([outcome, outcome, outcome]);
  expect(work).toHaveBeenCalledTimes(2);
  onceInRun("another download", work, "run 1");
  expect(work).toHaveBeenCalledTimes(3);
});

/** Processes that want the same at the same time. Each adds a line to a file while it works. */
async function processes(count: number, script: string): Promise<string[]> {
  const root = path.join(__dirname, "../../..");
  const log = path.join(folder, "log");
  const program =
    `const { onceInRun } = require(${JSON.stringify(path.join(root, "tests/support/once-in-run.ts"))});` +
    `const log = () => require("node:fs").appendFileSync(${JSON.stringify(log)}, "worked\\n");` +
    `console.log(onceInRun("npm ci", () => { log(); ${script} }));`;
  const args = ["-r", path.join(root, "tools/register.cjs"), "-e", program];
  const env = { ...process.env, PERIMETER_TEST_RUN: "run of processes" };
  const outputs = Array.from({ length: count }, async () => {
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (chunk) => (text += String(chunk)));
    await once(child, "close");
    return text.trim();
  });
  return [...(await Promise.all(outputs)), ...fs.readFileSync(log, "utf8").trim().split("\n")];
}

test("processes of a run wait for the one that works, and take its outcome", async () => {
  const wait = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);";
  expect(await processes(3, `${wait} return "no network";`)).toEqual([...Array(3).fill("no network"), "worked"]);
});

test("if that process ends without a result, another process does the work", async () => {
  expect(await processes(1, "process.exit(1);")).toEqual(["", "worked"]);
  expect(await processes(1, 'return "no network";')).toEqual(["no network", "worked", "worked"]);
});
