/**
 * Runs the real Pulumi engine on small programs, with a state folder, a home and an environment of its own. Of the
 * caller's environment, it passes on only what is named here.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { parse as parseYaml, stringify } from "yaml";
import { StackFiles } from "./file-backend";
import { linkPackages } from "./node-modules";
import type { StackState, StepState } from "./state";

export type { StackState, StepState } from "./state";

export const repositoryRoot = path.resolve(__dirname, "../..");

/** Enough for a test of a few engine runs on a busy two-core machine. */
export const ENGINE_TIMEOUT_MS = 180_000;

export type HostName = "nodejs" | "python" | "go" | "yaml" | "java" | "dotnet";

export interface Engine {
  /** Its source: the user's PATH, the archive of a release, or a build on this machine. */
  source: "path" | "download" | "build";
  version: string;
  /** The folder to put first on PATH. */
  bin: string;
  hosts: Record<HostName, { path: string; missing?: undefined } | { path?: undefined; missing: string }>;
}

let found: Engine | undefined;

/** The engine. The first call on a machine installs it, which takes minutes. */
export function engine(): Engine {
  found ??= JSON.parse(
    execFileSync("bash", [path.join(repositoryRoot, "tools/engine/install.sh"), "--json"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    }),
  ) as Engine;
  return found;
}

/** Why programs of this language cannot run on this machine; undefined if they can. */
export function missingHost(host: HostName): string | undefined {
  return engine().hosts[host].missing;
}

export interface PropertyDiff {
  diffKind: "add" | "add-replace" | "delete" | "delete-replace" | "update" | "update-replace";
  inputDiff: boolean;
}

/** One step of the engine's plan or of an update, in the order the engine began them. */
export interface Step {
  op: string;
  urn: string;
  type: string;
  /** The last part of the URN: what the program called it. */
  name: string;
  /** Properties that force a replacement. */
  keys: string[];
  /** Properties that differ. */
  diffs: string[];
  detailedDiff: Record<string, PropertyDiff>;
  old?: StepState;
  new?: StepState;
}

export interface Diagnostic {
  severity: string;
  message: string;
  urn?: string;
  ephemeral?: boolean;
}

/** A line of the engine's event log, as written by the CLI. */
export type EngineEvent = { sequence: number; timestamp: number } & Record<string, unknown>;

export interface RunResult {
  command: string;
  stdout: string;
  stderr: string;
  /** Undefined if the process was ended by a signal. */
  code: number | undefined;
  signal: NodeJS.Signals | undefined;
  milliseconds: number;
}

export interface OperationResult extends RunResult {
  events: EngineEvent[];
  steps: Step[];
  /** How many resources by operation, without those that stay the same. */
  changes: Record<string, number>;
  diagnostics: Diagnostic[];
  /** The first step of a resource by its name; fails if there is none. */
  step(name: string, op?: string): Step;
  /** Messages of this severity, of one resource or of all. */
  messages(severity: "error" | "warning" | "info", name?: string): string[];
}

export interface RunOptions {
  env?: Record<string, string>;
  /** "yes" expects a failure, "maybe" accepts both. Without it, a failure throws with the full output. */
  fail?: "no" | "yes" | "maybe";
  timeoutMs?: number;
  input?: string;
}

export interface OperationOptions extends RunOptions {
  /** More arguments for the command. */
  args?: string[];
}

export interface ProjectOptions {
  /** A folder to copy, or files by relative path. */
  program: string | Record<string, string>;
  /** Written as Pulumi.yaml's `runtime` where the program brings no Pulumi.yaml. */
  runtime?: string | { name: string; options?: Record<string, unknown> };
  /** The project's name where the program brings no Pulumi.yaml. */
  name?: string;
  stack?: string;
  /** Configuration in plain text; secrets go through `setConfig`. */
  config?: Record<string, string | number | boolean>;
  env?: Record<string, string>;
  /** Folders that go on PATH behind the engine: plugins, a virtual environment's bin. */
  path?: string[];
  /** A node_modules folder whose packages the program sees; "none" for none. Default: the repository's. */
  nodeModules?: string;
  /** More packages by name, as links to their folders; they win over those of `nodeModules`. */
  packages?: Record<string, string>;
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

export class EngineProject {
  /** The program's folder. */
  readonly dir: string;
  readonly stack: string;
  readonly env: Record<string, string>;
  private readonly root: string;
  private readonly running = new Set<ChildProcess>();
  private files!: StackFiles;
  private logs = 0;

  private constructor(root: string, options: ProjectOptions) {
    this.root = root;
    this.dir = path.join(root, "program");
    this.stack = options.stack ?? "test";
    this.env = baseEnvironment(root, options.path ?? []);
    Object.assign(this.env, options.env);
  }

  /** Writes the program to a folder of its own and makes the stack. Dispose of it in `afterEach` or `afterAll`. */
  static async create(options: ProjectOptions): Promise<EngineProject> {
    // The real path: macOS and some CI machines have links in their temporary folder, and the engine resolves them.
    const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-engine-")));
    const project = new EngineProject(root, options);
    try {
      project.write(options);
      const { name } = parseYaml(fs.readFileSync(path.join(project.dir, "Pulumi.yaml"), "utf8")) as { name: string };
      project.files = new StackFiles(path.join(root, "state"), project.dir, name, project.stack);
      if (project.env.PULUMI_CONFIG_PASSPHRASE === "") project.files.init();
      else await project.run(["stack", "init", project.stack]);
    } catch (error) {
      await project.dispose();
      throw error;
    }
    return project;
  }

  private write(options: ProjectOptions): void {
    for (const folder of ["program", "home", "state", "tmp", "logs"]) fs.mkdirSync(path.join(this.root, folder));
    if (typeof options.program === "string") {
      const from = path.resolve(options.program);
      fs.cpSync(from, this.dir, {
        recursive: true,
        filter: (source) => path.relative(from, source).split(path.sep)[0] !== "node_modules",
      });
    } else {
      this.writeFiles(options.program);
    }
    if (!fs.existsSync(path.join(this.dir, "Pulumi.yaml"))) {
      const runtime = options.runtime ?? "nodejs";
      // JSON is YAML too.
      this.writeFiles({ "Pulumi.yaml": `${JSON.stringify({ name: options.name ?? "sample", runtime }, null, 2)}\n` });
    }
    if (options.config) {
      this.writeFiles({ [`Pulumi.${this.stack}.yaml`]: `${JSON.stringify({ config: options.config }, null, 2)}\n` });
    }
    if (options.nodeModules !== "none") {
      const from = options.nodeModules ?? path.join(repositoryRoot, "node_modules");
      linkPackages(path.join(this.dir, "node_modules"), from, options.packages);
    }
  }

  /** Adds files to the program or replaces them, by relative path. */
  writeFiles(files: Record<string, string>): void {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(this.dir, name);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, text);
    }
  }

  /** Has the stack run another file of the program than its Pulumi.yaml names. */
  useMain(file: string): void {
    this.changeManifest({ main: file });
  }

  /** Has the stack run a Go program that was built ahead. */
  useBinary(binary: string): void {
    this.changeManifest({ runtime: { name: "go", options: { binary } } });
  }

  private changeManifest(change: Record<string, unknown>): void {
    const manifest = path.join(this.dir, "Pulumi.yaml");
    const settings = parseYaml(fs.readFileSync(manifest, "utf8")) as Record<string, unknown>;
    fs.writeFileSync(manifest, stringify({ ...settings, ...change }));
  }

  up(options: OperationOptions = {}): Promise<OperationResult> {
    return this.operation(["up", "--yes", "--skip-preview"], options);
  }

  preview(options: OperationOptions & { diff?: boolean; refresh?: boolean } = {}): Promise<OperationResult> {
    const flags = [...(options.diff ? ["--diff"] : []), ...(options.refresh ? ["--refresh"] : [])];
    return this.operation(["preview", ...flags], options);
  }

  refresh(options: OperationOptions = {}): Promise<OperationResult> {
    return this.operation(["refresh", "--yes", "--skip-preview"], options);
  }

  destroy(options: OperationOptions = {}): Promise<OperationResult> {
    return this.operation(["destroy", "--yes", "--skip-preview"], options);
  }

  /** `pulumi import`; the generated code is in `stdout` unless `--out` is among the arguments. */
  import(type: string, name: string, id: string, options: OperationOptions = {}): Promise<OperationResult> {
    return this.operation(["import", type, name, id, "--yes", "--skip-preview"], options);
  }

  /** Stack outputs; secrets in plain text. */
  async outputs(): Promise<Record<string, unknown>> {
    const plain = this.files.outputs();
    return plain ?? (parse(await this.run(["stack", "output", "--json", "--show-secrets"])) as Record<string, unknown>);
  }

  /** The state, as `pulumi stack export` prints it; secrets encrypted unless wanted in plain text. */
  async exportState(options: { showSecrets?: boolean } = {}): Promise<StackState> {
    if (!options.showSecrets) return this.files.read();
    return parse(await this.run(["stack", "export", "--show-secrets"])) as StackState;
  }

  /** Takes a state as `exportState` gives it, with its secrets encrypted. */
  importState(state: StackState): void {
    this.files.replace(state);
  }

  async setConfig(key: string, value: string, options: { secret?: boolean; path?: boolean } = {}): Promise<void> {
    if (!options.secret && !options.path) return this.files.set(key, value);
    const flags = [options.secret ? "--secret" : "--plaintext", ...(options.path ? ["--path"] : [])];
    await this.run(["config", "set", ...flags, "--", key, value]);
  }

  removeConfig(key: string): void {
    this.files.remove(key);
  }

  /** Any command of the CLI, in the program's folder. */
  async run(args: string[], options: RunOptions = {}): Promise<RunResult> {
    const running = this.start(args, options);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      running.kill("SIGKILL");
    }, options.timeoutMs ?? ENGINE_TIMEOUT_MS);
    const result = await running.done.finally(() => clearTimeout(timer));
    if (late) throw new EngineError(result, `still running after ${options.timeoutMs ?? ENGINE_TIMEOUT_MS} ms`);
    const wanted = options.fail ?? "no";
    if (result.code !== 0 && wanted === "no") {
      throw new EngineError(result, `failed with ${result.signal ?? `code ${result.code}`}`);
    }
    if (result.code === 0 && wanted === "yes") throw new EngineError(result, "should have failed");
    return result;
  }

  /** Starts a command and does not wait for it. `input` is its stdin, which is empty otherwise. */
  start(args: string[], options: Pick<RunOptions, "env" | "input"> = {}): RunningEngine {
    // These options come first: after a "--", the CLI would pass them on.
    const all = ["--non-interactive", "--color", "never", ...args];
    const began = performance.now();
    const child = spawn(path.join(engine().bin, "pulumi"), all, {
      cwd: this.dir,
      env: { ...this.env, PULUMI_STACK: this.stack, ...options.env },
      // A group of its own, so that a signal can be sent as by a terminal and nothing is left behind.
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.running.add(child);
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
    child.stdin.end(options.input ?? "");

    const done = new Promise<RunResult>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => {
        this.running.delete(child);
        resolve({
          command: `pulumi ${args.join(" ")}`,
          stdout,
          stderr,
          code: code ?? undefined,
          signal: signal ?? undefined,
          milliseconds: Math.round(performance.now() - began),
        });
      });
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

  /** The arguments that make a command write its events, and the file they go to. For use with `start`. */
  eventLog(): { file: string; args: string[] } {
    const file = path.join(this.root, "logs", `events-${++this.logs}.jsonl`);
    return { file, args: ["--event-log", file] };
  }

  private async operation(args: string[], options: OperationOptions): Promise<OperationResult> {
    const log = this.eventLog();
    const [command = "", ...rest] = args;
    const result = await this.run([command, ...log.args, ...rest, ...(options.args ?? [])], options);
    return withEvents(result, readEvents(log.file));
  }

  /** Ends what still runs and removes all files. */
  async dispose(): Promise<void> {
    const ended = [...this.running].map(
      (child) => new Promise<void>((resolve) => child.once("close", () => resolve())),
    );
    for (const child of this.running) sendSignal(child, "SIGKILL", "group");
    await Promise.all(ended);
    // Retries: a plugin that is about to end may still write.
    fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** The environment of every run. It leaves out what the user's shell may hold: GOOGLE_PROJECT, proxies, tokens. */
function baseEnvironment(root: string, more: string[]): Record<string, string> {
  const system = process.platform === "win32" ? [] : ["/usr/local/bin", "/usr/bin", "/bin"];
  return {
    PATH: [engine().bin, ...more, path.dirname(process.execPath), ...system].join(path.delimiter),
    HOME: path.join(root, "home"),
    TMPDIR: path.join(root, "tmp"),
    LANG: "C.UTF-8",
    PULUMI_HOME: path.join(root, "home", ".pulumi"),
    PULUMI_BACKEND_URL: `file://${path.join(root, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "1",
    // Types are checked by `make lint`; here that would cost a second a run. "false" in a project's `env` has them checked.
    TS_NODE_TRANSPILE_ONLY: "true",
    // Makes the CLI accept --event-log.
    PULUMI_DEBUG_COMMANDS: "1",
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

function parse(result: RunResult): unknown {
  try {
    return JSON.parse(result.stdout);
  } catch {
    throw new EngineError(result, "did not print JSON");
  }
}

/** The lines of an event log. An interrupted engine may leave half a line at the end; one that failed early, no file. */
export function readEvents(file: string): EngineEvent[] {
  if (!fs.existsSync(file)) return [];
  const events: EngineEvent[] = [];
  for (const line of fs.readFileSync(file, "utf8").split("\n")) {
    try {
      if (line) events.push(JSON.parse(line) as EngineEvent);
    } catch {
      break;
    }
  }
  return events;
}

interface StepMetadata {
  op: string;
  urn: string;
  type: string;
  keys?: string[] | null;
  diffs?: string[] | null;
  detailedDiff?: Record<string, PropertyDiff> | null;
  old?: StepState | null;
  new?: StepState | null;
}

function withEvents(result: RunResult, events: EngineEvent[]): OperationResult {
  const steps: Step[] = [];
  const diagnostics: Diagnostic[] = [];
  let changes: Record<string, number> = {};
  for (const event of events) {
    const pre = event.resourcePreEvent as { metadata: StepMetadata } | undefined;
    if (pre) steps.push(toStep(pre.metadata));
    const diagnostic = event.diagnosticEvent as Diagnostic | undefined;
    if (diagnostic) diagnostics.push({ ...diagnostic, message: withoutColors(diagnostic.message) });
    const summary = event.summaryEvent as { resourceChanges?: Record<string, number> } | undefined;
    if (summary) {
      changes = Object.fromEntries(Object.entries(summary.resourceChanges ?? {}).filter(([op]) => op !== "same"));
    }
  }
  return {
    ...result,
    events,
    steps,
    changes,
    diagnostics,
    step(name, op) {
      const step = steps.find((each) => each.name === name && (op === undefined || each.op === op));
      if (!step) {
        const seen = steps.map((each) => `${each.op} ${each.name}`).join(", ") || "none";
        throw new EngineError(result, `no step ${op ?? ""} of ${name}; steps: ${seen}`);
      }
      return step;
    },
    messages: (severity, name) =>
      diagnostics
        .filter((each) => each.severity === severity && (name === undefined || nameOf(each.urn ?? "") === name))
        .map((each) => each.message.trim()),
  };
}

function toStep(metadata: StepMetadata): Step {
  return {
    op: metadata.op,
    urn: metadata.urn,
    type: metadata.type,
    name: nameOf(metadata.urn),
    keys: metadata.keys ?? [],
    diffs: metadata.diffs ?? [],
    detailedDiff: metadata.detailedDiff ?? {},
    old: metadata.old ?? undefined,
    new: metadata.new ?? undefined,
  };
}

function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}

/** The event log has the engine's own colour marks in its messages. */
function withoutColors(message: string): string {
  return message.replace(/<\{%[^%]*%\}>/g, "");
}
