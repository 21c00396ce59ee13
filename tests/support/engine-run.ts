/** One run of the `pulumi` command: a process that can be watched and interrupted. */
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

export interface RunResult {
  command: string;
  stdout: string;
  stderr: string;
  /** Undefined if the process was ended by a signal. */
  code: number | undefined;
  signal: NodeJS.Signals | undefined;
  milliseconds: number;
}

export class EngineError extends Error {
  constructor(
    readonly result: RunResult,
    reason: string,
  ) {
    const out = result.stdout.trim() || "(nothing)";
    const err = result.stderr.trim() || "(nothing)";
    super(`${result.command}: ${reason}\n--- stdout ---\n${out}\n--- stderr ---\n${err}`);
    this.name = "EngineError";
  }
}

/** A running `pulumi`, for tests that interrupt it. */
export interface RunningEngine {
  readonly pid: number;
  readonly done: Promise<RunResult>;
  /** Everything printed so far. */
  output(): string;
  /** Waits until the output matches; fails if the process ends first. */
  waitFor(pattern: RegExp): Promise<void>;
  /** To the whole process group, as a terminal does, unless told otherwise. */
  kill(signal: NodeJS.Signals, to?: "group" | "process"): void;
}

/** Waits until something else shows this, such as the cloud a request. Fails if the process ends first. */
export async function untilSeen(running: RunningEngine, what: string, isSeen: () => boolean): Promise<void> {
  let ended = false;
  void running.done.then(() => (ended = true));
  while (!isSeen()) {
    if (ended) throw new Error(`ended without ${what}:\n${running.output()}`);
    await sleep(5);
  }
}

/** Starts the command and does not wait for it. @param input its stdin, which is empty otherwise */
export function startPulumi(
  command: string,
  args: string[],
  { cwd, env, input = "" }: { cwd: string; env: Record<string, string>; input?: string },
): RunningEngine {
  // These options come first: after a "--", the CLI would pass them on.
  const all = ["--non-interactive", "--color", "never", ...args];
  const began = performance.now();
  const child = spawn(command, all, {
    cwd,
    env,
    // A group of its own, so that a signal can be sent as by a terminal and nothing is left behind.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  const listeners = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const listener of listeners) listener();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    for (const listener of listeners) listener();
  });
  // A command may end before it has read its input: writing to it then fails, which is no failure of the command.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);

  const done = new Promise<RunResult>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) =>
      resolve({
        command: `pulumi ${args.join(" ")}`,
        stdout,
        stderr,
        code: code ?? undefined,
        signal: signal ?? undefined,
        milliseconds: Math.round(performance.now() - began),
      }),
    );
  });
  const output = () => stdout + stderr;
  return {
    pid: child.pid ?? -1,
    done,
    output,
    waitFor: (pattern) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (!pattern.test(output())) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
        done.then(
          (result) => reject(new EngineError(result, `ended without printing ${pattern}`)),
          (error: unknown) => reject(error as Error),
        );
      }),
    kill: (signal, to = "group") => sendSignal(child, signal, to),
  };
}

function sendSignal(child: ChildProcess, signal: NodeJS.Signals, to: "group" | "process"): void {
  if (child.pid === undefined) return;
  try {
    process.kill(to === "group" && process.platform !== "win32" ? -child.pid : child.pid, signal);
  } catch (error) {
    // It has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
