/** The emulator as `npx pulumi-perimeter emulator` in the background of a script, which has no job control. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { packedPackage } from "../support/pack";

let folder: string;
let shell: ChildProcess | undefined;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-npx-"));
  fs.writeFileSync(path.join(folder, "package.json"), "{}");
  fs.symlinkSync(packedPackage().nodeModules, path.join(folder, "node_modules"));
});
afterEach(() => {
  // The emulator is in the group of the shell, also where it outlived npx.
  if (shell?.pid !== undefined) process.kill(-shell.pid, "SIGKILL");
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Runs a script that starts the emulator; resolves with the emulator's address and the process id of npx. */
async function start(after: string): Promise<{ url: string; npx: number }> {
  const script = `npx pulumi-perimeter emulator --port 0 > emulator.log &\necho $! > npx.pid\n${after}\n`;
  shell = spawn("sh", ["-c", script], { cwd: folder, detached: true, stdio: "ignore" });
  const log = path.join(folder, "emulator.log");
  for (;;) {
    await sleep(50);
    const [, url] = /listening on (\S+)/.exec(fs.existsSync(log) ? fs.readFileSync(log, "utf8") : "") ?? [];
    if (url !== undefined) return { url, npx: Number(fs.readFileSync(path.join(folder, "npx.pid"), "utf8")) };
  }
}

const answers = (url: string) =>
  fetch(`${url}/_emulator/health`).then(
    () => true,
    () => false,
  );

async function stops(url: string): Promise<void> {
  while (await answers(url)) await sleep(100);
  // It is written after the server has closed its port. The limit of the test is that of this wait.
  while (!fs.readFileSync(path.join(folder, "emulator.log"), "utf8").includes("Stopped.")) await sleep(100);
}

test.each(["SIGTERM", "SIGKILL"] as const)("the emulator stops when %s ends its npx process", async (signal) => {
  const { url, npx } = await start("wait");
  process.kill(npx, signal);
  await stops(url);
});

test("`kill $!` in a script of sh stops the emulator", async () => {
  const { url } = await start("while [ ! -e stop ]; do sleep 0.1; done; kill $!; sleep 60");
  fs.writeFileSync(path.join(folder, "stop"), "");
  await stops(url);
});

test("the emulator continues when the script that started it has ended", async () => {
  const { url, npx } = await start("exit 0");
  await Promise.race([once(shell as ChildProcess, "exit"), sleep(2_000)]);
  await sleep(1_500);
  expect(await answers(url)).toBe(true);
  process.kill(npx, "SIGTERM");
  await stops(url);
});
