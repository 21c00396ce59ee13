import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";

const ROOT = join(__dirname, "..", "..");

/** An emulator in a separate process, as `perimeter emulator` starts it. */
export interface EmulatorProcess {
  url: string;
  child: ChildProcess;
  /** Kills the process like a crash, and waits for its end. */
  kill(): Promise<void>;
}

/**
 * @param args arguments of `perimeter emulator`; a free port is used
 * @param maxFileKiB the largest size of a file. Writing more fails as on a full disk
 */
export async function startProcess(args: readonly string[], maxFileKiB?: number): Promise<EmulatorProcess> {
  const node = [process.execPath, "-r", "./tools/register.cjs", join("cli", "main.ts")];
  const command = [...node, "emulator", "--port", "0", ...args];
  const limited = ["bash", "-c", `ulimit -f ${maxFileKiB}; exec "$@"`, "bash", ...command];
  const [program = "", ...rest] = maxFileKiB === undefined ? command : limited;
  const child = spawn(program, rest, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let output = "";
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const found = /listening on (http:\S+?),?\s/.exec(output)?.[1];
      if (found !== undefined) {
        resolve(found);
      }
    });
    child.once("error", reject).once("exit", () => reject(new Error(`The emulator ended: ${errors}`)));
  });
  return {
    url,
    child,
    kill: () => {
      child.kill("SIGKILL");
      return ended;
    },
  };
}
