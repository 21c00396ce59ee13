/**
 * README's quick start as a user pastes it, in an empty folder. Two things differ: `npm install` gives the project the
 * tarball of this tree, with the dependencies that are installed here, and the emulator takes a free port, since another
 * one may run on this machine.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { engine, repositoryRoot } from "./engine";
import { packedPackage } from "./pack";
import { extract, type Snippet } from "./snippets";

const HEADING = "## Quick start";
const INSTALL = "npm install pulumi-perimeter\n";
const EMULATOR = "npx pulumi-perimeter emulator ";
const PORT = "8790";

export class QuickStart {
  /** The section's snippets in their order. */
  readonly snippets: readonly Snippet[];
  private readonly root: string;
  private child: ChildProcess | undefined;

  private constructor(private readonly port: number) {
    this.root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-quick-start-")));
    this.snippets = snippetsOfSection(fs.readFileSync(path.join(repositoryRoot, "README.md"), "utf8"));
  }

  static async create(): Promise<QuickStart> {
    return new QuickStart(await freePort());
  }

  /**
   * Pastes the section's shell snippets into one shell, then the given lines; ends when the shell does.
   *
   * @returns what it printed, with the port that the document names
   */
  async paste(more = ""): Promise<string> {
    const scripts = this.snippets.filter(({ kind }) => kind === "shell").map(({ text }) => text);
    let script = `${scripts.join("")}${more}\n`;
    // The document's own words, so that a change of them is noticed here.
    for (const text of [INSTALL, EMULATOR, `127.0.0.1:${PORT}`]) {
      if (!script.includes(text)) throw new Error(`README's quick start has no "${text}" any more`);
    }
    script = script
      .replace(INSTALL, `ln -s '${packedPackage().nodeModules}' node_modules\n`)
      .replace(EMULATOR, `${EMULATOR}--port ${this.port} `)
      .replaceAll(`127.0.0.1:${PORT}`, `127.0.0.1:${this.port}`);
    // A group of its own, so that the emulator, which the script leaves running, can be ended with it.
    const child = spawn("bash", ["-c", script], {
      cwd: this.root,
      env: this.env(),
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
    return printed.replaceAll(`127.0.0.1:${this.port}`, `127.0.0.1:${PORT}`);
  }

  /** What a user's shell has, and nothing of the caller's. */
  private env(): Record<string, string> {
    const system = ["/usr/local/bin", "/usr/bin", "/bin"];
    return {
      PATH: [engine().bin, path.dirname(process.execPath), ...system].join(path.delimiter),
      HOME: this.root,
      LANG: "C.UTF-8",
      PULUMI_SKIP_UPDATE_CHECK: "1",
      npm_config_update_notifier: "false",
    };
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

function snippetsOfSection(readme: string): Snippet[] {
  const [before = "", ...after] = readme.split(`${HEADING}\n`);
  const section = after.join("").split(/^## /m)[0] ?? "";
  const offset = before.split("\n").length;
  return extract("README.md", section).snippets.map((snippet) => ({ ...snippet, line: snippet.line + offset }));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
