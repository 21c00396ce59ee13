/**
 * `npx pulumi-perimeter`, and `perimeter`, for the scripts that a test runs. The command runs in the test's process, which saves half a second
 * of processor time a run, and its answer comes back to the script.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { runCommand, type CommandEnd } from "./command";
import { ScriptedServer } from "./scripted-server";

/** What a script asked npx for. */
export interface Asked {
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** Its standard input. */
  input: string;
}

export class CommandService {
  private constructor(private readonly server: ScriptedServer) {}

  /**
   * @param folder gets the programs `npx` and `perimeter`, for PATH. Standard input of a script must end: they read it
   * @param answer what npx does
   */
  static async start(folder: string, answer: (asked: Asked) => Promise<CommandEnd>): Promise<CommandService> {
    const server = await ScriptedServer.start(async ({ body }) => {
      const end = await answer(askedIn(body)).catch((error: unknown): CommandEnd => ({
        code: 70,
        stdout: "",
        stderr: `npx of the test: ${String(error)}\n`,
      }));
      return { body: scriptOf(end) };
    });
    // The folder may have another curl.
    const curl = spawnSync("which", ["curl"], { encoding: "utf8" }).stdout.trim();
    const npx = [
      "#!/bin/bash",
      `answer=$({ printf '%s\\0' "$#" "$PWD" "$@"; env -0; printf '\\0'; cat; } |`,
      `  '${curl}' --silent --show-error --noproxy '*' --data-binary @- ${server.url}) || exit 70`,
      `eval "$answer"`,
    ];
    fs.writeFileSync(path.join(folder, "npx"), `${npx.join("\n")}\n`, { mode: 0o755 });
    const perimeter = ["#!/bin/bash", 'exec "${BASH_SOURCE[0]%/*}/npx" pulumi-perimeter "$@"'];
    fs.writeFileSync(path.join(folder, "perimeter"), `${perimeter.join("\n")}\n`, { mode: 0o755 });
    return new CommandService(server);
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }
}

function askedIn(body: string): Asked {
  const [count = "", cwd = "", ...rest] = body.split("\0");
  const args = rest.splice(0, Number(count));
  const end = rest.indexOf("");
  const variables = rest.slice(0, end).map((each): [string, string] => {
    const equals = each.indexOf("=");
    return [each.slice(0, equals), each.slice(equals + 1)];
  });
  return { args, cwd, env: Object.fromEntries(variables), input: rest.slice(end + 1).join("\0") };
}

/** Runs the command, as npx does for the name of the package. */
export function runPackage({ args, ...options }: Asked): Promise<CommandEnd> {
  const [name = "", ...own] = args.filter((each, at) => at > 0 || each !== "--yes");
  if (name !== "pulumi-perimeter") return Promise.resolve({ code: 64, stdout: "", stderr: `npx has no ${name}\n` });
  return runCommand(own, options);
}

/** A script of bash that prints the answer and ends with its code. */
function scriptOf({ code, stdout, stderr }: CommandEnd): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return `printf %s ${quoted(stdout)}; printf %s ${quoted(stderr)} >&2; exit ${code ?? 1}\n`;
}
