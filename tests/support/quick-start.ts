/**
 * README's quick start as a user pastes it, in a clone. It differs in the emulator's port, which is a free one, since another
 * emulator may run on this machine.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { dependencies, peerDependencies } from "../../package.json";
import { cacheFolder, removeOld } from "./cache";
import { makeClone, newcomersShell } from "./clone";
import { repositoryRoot } from "./engine";
import { freePort } from "./free-port";
import { extract, type Snippet } from "./snippets";
import { leftOut } from "./test-all";

const HEADING = "## Quick start";
const EMULATOR = "npx pulumi-perimeter emulator ";
const PORT = "8790";
/** Longer than a busy machine takes to end a program. */
const STOP_MS = 60_000;
/** In `make test`, the SDK loads less. tests/engine/sdk/pulumi-versions.test.ts runs the npm front with an SDK that loads all. */
const QUICK = { NODE_OPTIONS: `--require ${JSON.stringify(path.join(__dirname, "lazy-packages.cjs"))}` };

export class QuickStart {
  /** The section's snippets in their order. */
  readonly snippets: readonly Snippet[];
  private readonly root: string;
  private readonly clone: string;
  /** The packages of the program. */
  private readonly modules: string;
  private child: ChildProcess | undefined;

  constructor() {
    this.root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-quick-start-")));
    this.clone = path.join(this.root, "clone");
    makeClone(this.clone);
    this.modules = path.join(this.root, "perimeter-quick-start/node_modules");
    if (leftOut !== undefined) takePackages(this.modules);
    this.snippets = snippetsOfSection(fs.readFileSync(path.join(repositoryRoot, "README.md"), "utf8"));
  }

  /**
   * Pastes the section's shell snippets into one shell, then the given lines; ends when the shell does.
   *
   * @returns what it printed, with the port that the document names
   */
  async paste(more = ""): Promise<string> {
    const scripts = this.snippets.filter(({ kind }) => kind === "shell").map(({ text }) => text);
    const port = await freePort();
    let script = `${scripts.join("")}${more}\n`;
    // The document's own words, so that a change of them is noticed here.
    for (const text of [EMULATOR, `127.0.0.1:${PORT}`]) {
      if (!script.includes(text)) throw new Error(`README's quick start has no "${text}" any more`);
    }
    script = script
      .replace(EMULATOR, `${EMULATOR}--port ${port} `)
      .replaceAll(`127.0.0.1:${PORT}`, `127.0.0.1:${port}`);
    // A group of its own, so that the emulator, which the script leaves running, can be ended with it.
    const child = spawn("bash", ["-c", script], {
      cwd: this.clone,
      // tests/docs/snippets/typescript.test.ts checks the types of the program, and the TypeScript examples run with this check.
      env: { ...newcomersShell(this.root), PULUMI_NODEJS_TRANSPILE_ONLY: "true", GOGC: "800", ...(leftOut && QUICK) },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
    }
    // Not "close": the emulator keeps standard error open.
    await once(child, "exit");
    keepPackages(this.modules);
    return printed.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${PORT}`);
  }

  /** What the emulator printed, when it has said that it stopped. Its port may be another program's by then. */
  async logOfStoppedEmulator(): Promise<string> {
    const log = () => fs.readFileSync(path.join(this.root, "perimeter-quick-start/emulator.log"), "utf8");
    for (const end = Date.now() + STOP_MS; Date.now() < end && !log().endsWith("Stopped.\n");) await sleep(100);
    return log();
  }

  dispose(): void {
    if (this.child?.pid !== undefined) {
      try {
        process.kill(-this.child.pid, "SIGKILL");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    }
    fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The packages that npm installed in an earlier run, for the same dependencies of ours. */
function keptPackages(): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([dependencies, peerDependencies]))
    .digest("hex")
    .slice(0, 16);
  return path.join(cacheFolder("quick-start"), digest);
}

/**
 * Puts what an earlier run installed where `npm install` looks: it then installs our package, adds what is missing, and removes
 * what our package does not need, in less than half of the time.
 */
function takePackages(folder: string): void {
  if (!fs.existsSync(keptPackages())) return;
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  // cp copies the ten thousand files in half of the time of Node.js.
  execFileSync("cp", ["-R", keptPackages(), folder]);
}

function keepPackages(folder: string): void {
  const kept = keptPackages();
  if (fs.existsSync(kept) || !fs.existsSync(folder)) return;
  removeOld(cacheFolder("quick-start"));
  const draft = `${kept}.${process.pid}`;
  execFileSync("cp", ["-R", folder, draft]);
  for (const each of ["pulumi-perimeter", ".bin/pulumi-perimeter", ".bin/perimeter", ".package-lock.json"]) {
    fs.rmSync(path.join(draft, each), { recursive: true, force: true });
  }
  fs.renameSync(draft, kept);
}

function snippetsOfSection(readme: string): Snippet[] {
  const [before = "", ...after] = readme.split(`${HEADING}\n`);
  const section = after.join("").split(/^## /m)[0] ?? "";
  const offset = before.split("\n").length;
  return extract("README.md", section).snippets.map((snippet) => ({ ...snippet, line: snippet.line + offset }));
}
