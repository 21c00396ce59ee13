/**
 * Runs the real Pulumi engine on small programs, with a state folder, a home and an environment of its own. Of the
 * caller's environment, it passes on only what is named here.
 */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { parse as parseYaml, stringify } from "yaml";
import { version } from "../../package.json";
import { isAtLeast } from "../../provider/version";
import { PLUGIN } from "../../tools/build-plugin-platforms";
import { withEvents, type OperationResult } from "./engine-events";
import { EngineError, startPulumi, type RunningEngine, type RunResult } from "./engine-run";
import { StackFiles } from "./file-backend";
import { keyService } from "./key-service";
import { linkPackages } from "./node-modules";
import type { StackState } from "./state";

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
  found ??= JSON.parse(install("--json")) as Engine;
  return found;
}

function install(option: string): string {
  return execFileSync("bash", [path.join(repositoryRoot, "tools/engine/install.sh"), option], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Whether the engine does what an engine of this version does, for what changed between the versions that the tests run with. */
export function engineIsAtLeast(version: string): boolean {
  return isAtLeast(engine().version, version);
}

let generators: string[] | undefined;

/**
 * Folders that go first on PATH when the engine generates a program, as `pulumi import` does: language hosts that were built
 * on this machine are older than the CLI, and cannot.
 */
export function programGenerators(): string[] {
  generators ??= engine().source === "build" ? [install("--programgen").trim()] : [];
  return generators;
}

/** Why programs of this language cannot run on this machine; undefined if they can. */
export function missingHost(host: HostName): string | undefined {
  return engine().hosts[host].missing;
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
  /**
   * Folders that go on PATH behind the engine: plugins, a virtual environment's bin. The plugin that `make` built does not go on
   * PATH: it is installed in the project's Pulumi home.
   */
  path?: string[];
  /** A node_modules folder whose packages the program sees; "none" for none. Default: the repository's. */
  nodeModules?: string;
  /** More packages by name, as links to their folders; they win over those of `nodeModules`. */
  packages?: Record<string, string>;
  /**
   * Runs everything as users do, which is slower: Pulumi's SDK checks types and loads what it loads, a passphrase keeps the secrets, the
   * CLI itself makes the stack, reads its state and sets its configuration, and the plugin is on PATH.
   */
  unpatched?: boolean;
}

export class EngineProject {
  /** The program's folder. */
  readonly dir: string;
  readonly stack: string;
  readonly env: Record<string, string>;
  private readonly root: string;
  private readonly running = new Set<RunningEngine>();
  private files!: StackFiles;
  private readonly unpatched: boolean;
  private logs = 0;

  private constructor(root: string, options: ProjectOptions) {
    this.root = root;
    this.dir = path.join(root, "program");
    this.stack = options.stack ?? "test";
    this.unpatched = options.unpatched ?? false;
    const { path: folders = [] } = options;
    this.env = baseEnvironment(root, this.unpatched ? folders : folders.filter((each) => !isBuilt(each)));
    Object.assign(this.env, options.unpatched ? USERS_ENVIRONMENT : QUICK_ENVIRONMENT, options.env);
  }

  /** Writes the program to a folder of its own and makes the stack. Dispose of it in `afterEach` or `afterAll`. */
  static async create(options: ProjectOptions): Promise<EngineProject> {
    // The real path: macOS and some CI machines have links in their temporary folder, and the engine resolves them.
    const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-engine-")));
    const project = new EngineProject(root, options);
    try {
      project.write(options);
      project.files = project.filesOf(project.dir, project.stack);
      if (!project.unpatched) Object.assign(project.env, await keyService());
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
    if (!this.unpatched) options.path?.filter(isBuilt).forEach((each) => this.installPlugin(each));
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

  /** Puts the plugin where `pulumi plugin install` does. There, and not on PATH, the engine keeps its schema for later runs. */
  private installPlugin(folder: string): void {
    const installed = path.join(this.root, "home/.pulumi/plugins", `resource-perimeter-v${version}`);
    fs.mkdirSync(installed, { recursive: true });
    const [name = ""] = fs.readdirSync(folder).filter((each) => each.startsWith(PLUGIN));
    fs.symlinkSync(path.join(folder, name), path.join(installed, name));
  }

  private filesOf(folder: string, stack: string): StackFiles {
    const { name } = parseYaml(fs.readFileSync(path.join(folder, "Pulumi.yaml"), "utf8")) as { name: string };
    return new StackFiles(path.join(this.root, "state"), folder, name, stack);
  }

  /** Makes a stack of another project, whose Pulumi.yaml is in a folder of the program, in the same backend. */
  addStack(folder: string, stack: string): void {
    this.filesOf(path.join(this.dir, folder), stack).init();
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
    const plain = this.unpatched ? undefined : this.files.outputs();
    return plain ?? (parse(await this.run(["stack", "output", "--json", "--show-secrets"])) as Record<string, unknown>);
  }

  /** The state, as `pulumi stack export` prints it; secrets encrypted unless wanted in plain text. */
  async exportState(options: { showSecrets?: boolean } = {}): Promise<StackState> {
    if (!options.showSecrets && !this.unpatched) return this.files.read();
    return parse(await this.run(["stack", "export", ...(options.showSecrets ? ["--show-secrets"] : [])])) as StackState;
  }

  /** Takes a state as `exportState` gives it, with its secrets encrypted. */
  importState(state: StackState): void {
    this.files.replace(state);
  }

  /** Makes the stack usable after SIGKILL of the CLI. */
  clearKilledRun(): void {
    this.files.clearKilledRun();
  }

  async setConfig(key: string, value: string, options: { secret?: boolean; path?: boolean } = {}): Promise<void> {
    if (!options.secret && !options.path && !this.unpatched) return this.files.set(key, value);
    const flags = [options.secret ? "--secret" : "--plaintext", ...(options.path ? ["--path"] : [])];
    await this.run(["config", "set", ...flags, "--", key, value]);
  }

  async removeConfig(key: string): Promise<void> {
    if (this.unpatched) await this.run(["config", "rm", "--", key]);
    else this.files.remove(key);
  }

  /** The stack as options of `reviewStack`, `readStackAccess` and the other functions of the review library. */
  get stackOptions(): { stack: string; cwd: string; pulumi: string; environment: Record<string, string> } {
    return { stack: this.stack, cwd: this.dir, pulumi: path.join(engine().bin, "pulumi"), environment: this.env };
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
    const running = startPulumi(path.join(engine().bin, "pulumi"), args, {
      cwd: this.dir,
      env: { ...this.env, PULUMI_STACK: this.stack, ...options.env },
      input: options.input,
    });
    this.running.add(running);
    const forget = () => void this.running.delete(running);
    running.done.then(forget, forget);
    return running;
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
    return withEvents(result, log.file);
  }

  /** Ends what still runs and removes all files. */
  async dispose(): Promise<void> {
    const left = [...this.running];
    for (const running of left) running.kill("SIGKILL");
    await Promise.allSettled(left.map(({ done }) => done));
    // Retries: a plugin that is about to end may still write.
    fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** Whether `make build` or `make executable` wrote the plugin in this folder. */
function isBuilt(folder: string): boolean {
  return !path.relative(path.join(repositoryRoot, "bin"), folder).startsWith("..");
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
    PULUMI_SKIP_UPDATE_CHECK: "1",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "1",
    // Makes the CLI accept --event-log.
    PULUMI_DEBUG_COMMANDS: "1",
  };
}

const USERS_ENVIRONMENT = { PULUMI_CONFIG_PASSPHRASE: "correct horse battery staple" };

const QUICK_ENVIRONMENT = {
  PULUMI_CONFIG_PASSPHRASE: "",
  // Types are checked by `make lint`; here that would cost a second a run. "false" in a project's `env` has them checked.
  TS_NODE_TRANSPILE_ONLY: "true",
  // A quarter of what a short run of the CLI costs is Go's collection of garbage.
  GOGC: "800",
  NODE_OPTIONS: `--require ${JSON.stringify(path.join(__dirname, "lazy-packages.cjs"))}`,
};

function parse(result: RunResult): unknown {
  try {
    return JSON.parse(result.stdout);
  } catch {
    throw new EngineError(result, "did not print JSON");
  }
}
